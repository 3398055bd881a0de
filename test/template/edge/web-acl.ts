/** The rate rules of a web ACL, read as AWS WAF reads them: by which address a request counts. */
import type { StackName, SynthesizedApp } from '../synthesized-app.ts';

interface Statement {
  readonly NotStatement?: { readonly Statement: Statement };
  readonly OrStatement?: { readonly Statements: readonly Statement[] };
  readonly ByteMatchStatement?: {
    readonly FieldToMatch: { readonly SingleHeader: { readonly Name: string } };
    readonly PositionalConstraint: string;
    readonly SearchString: string;
  };
}

interface RateRule {
  readonly AggregateKeyType: string;
  readonly ForwardedIPConfig?: { readonly HeaderName: string };
  readonly ScopeDownStatement?: Statement;
}

/** Headers by lower-case name. */
export type Headers = Readonly<Record<string, string>>;

const rulesOf = (app: SynthesizedApp, stack: StackName): readonly RateRule[] =>
  (
    app.only(stack, 'AWS::WAFv2::WebACL').Properties.Rules as readonly {
      readonly Statement: { readonly RateBasedStatement: RateRule };
    }[]
  ).map(({ Statement: { RateBasedStatement } }) => RateBasedStatement);

/** Throws at a statement that it would have to guess about. */
function matches(statement: Statement, headers: Headers): boolean {
  const { NotStatement: not, OrStatement: or, ByteMatchStatement: bytes } = statement;
  if (not !== undefined) return !matches(not.Statement, headers);
  if (or !== undefined) return or.Statements.some((each) => matches(each, headers));
  if (bytes?.PositionalConstraint !== 'EXACTLY')
    throw new Error(`unknown statement ${JSON.stringify(statement)}`);
  return headers[bytes.FieldToMatch.SingleHeader.Name] === bytes.SearchString;
}

/**
 * Returns the property by which each regional rule counts a request: `connection`, or the header that names an address.
 */
export const countedBy = (app: SynthesizedApp, headers: Headers): readonly string[] =>
  rulesOf(app, 'inference')
    .filter(({ ScopeDownStatement: scope }) => scope === undefined || matches(scope, headers))
    .map(({ AggregateKeyType: type, ForwardedIPConfig: forwarded }) =>
      type === 'IP' ? 'connection' : (forwarded?.HeaderName ?? '?'),
    );
