/** The amounts in USD of each response. `npm run amounts` writes this file from the API's schemas. */
// biome-ignore format: generated
export const AMOUNTS: Readonly<Record<string, string>> = {
  'POST /api-keys':
    'policy.daily_usd policy.monthly_usd',
  'GET /api-keys':
    'data.policy.daily_usd data.policy.monthly_usd',
  'PATCH /api-keys/{id}':
    'policy.daily_usd policy.monthly_usd',
  'POST /api-keys/{id}/rotate':
    'policy.daily_usd policy.monthly_usd',
  'POST /api/create-order':
    'amount refunded',
  'GET /api/orders':
    'data.amount data.refunded',
  'GET /api/orders/{order_id}':
    'amount refunded',
  'GET /api/v1/alerts':
    'balance_low_usd',
  'PUT /api/v1/alerts':
    'balance_low_usd',
  'GET /api/v1/credits':
    'balance held owed statement.opening statement.top_ups statement.grants statement.transfers statement.purchase_refunds statement.purchases statement.refunds statement.usage statement.closing statement.charges.amount',
  'GET /api/v1/earnings':
    'pending available in_transit paid_out transferred received fees',
  'GET /api/v1/earnings/transactions':
    'data.amount data.sale.price data.sale.fee data.sale.refunded',
  'POST /api/v1/earnings/transfer':
    'amount',
  'GET /api/v1/models':
    'models.price models.input_price models.output_price models.cached_input_price',
  'GET /api/v1/operator/accounts':
    'data.balance data.held data.owed data.spent',
  'GET /api/v1/operator/audit':
    'last.drift',
  'GET /api/v1/operator/catalog':
    'diff.changed.rates.old diff.changed.rates.new',
  'GET /api/v1/operator/routes':
    'data.unbilled.amount',
  'GET /api/v1/operator/sales':
    'sold provider_cost sold_at_known_cost',
  'GET /api/v1/operator/sellers':
    'data.pending data.available data.in_transit data.paid_out data.transferred data.sold data.held data.returned data.payouts.total',
  'GET /api/v1/usage':
    'data.cost',
  'GET /api/v1/usage/rollups':
    'data.cost total.cost',
  'GET /api/v1/usage/{request_id}':
    'cost lines.price waived held',
  'GET /credits/{api_key}':
    'balance held owed policy.daily_usd policy.monthly_usd spend.today spend.month',
  'GET /v1/organization/costs':
    'data.results.amount.value',
  'GET /v1/usage':
    'data.cost',
  'GET /v1/usage/{request_id}':
    'cost lines.price waived held',
};
