"""Calls the service with OpenAI's SDK: a streamed response, a call that is safe to repeat, and an error."""

import os
import sys
import uuid

import openai

base_url, api_key = os.environ.get("BASE_URL"), os.environ.get("API_KEY")
if not base_url or not api_key:
    sys.exit("Set BASE_URL to the address of the service, without /v1, and API_KEY to one of your keys.")

# The SDK repeats a call that fails with 429, 500 or 503, after the wait that the service requests.
client = openai.OpenAI(base_url=f"{base_url}/v1", api_key=api_key, max_retries=3)

# Models change without notice: read the list instead of writing an id into the code.
model = os.environ.get("MODEL") or next(model.id for model in client.models.list() if model.type == "chat")
messages = [{"role": "user", "content": "Say hello in five words."}]


def usd(amount) -> str:
    return f"${float(amount):.9f}"


def stream() -> None:
    chunks = client.chat.completions.create(
        model=model,
        messages=messages,
        stream=True,
        stream_options={"include_usage": True},  # The last chunk then contains the usage and its cost.
    )
    for chunk in chunks:
        print(chunk.choices[0].delta.content or "" if chunk.choices else "", end="", flush=True)
        if chunk.usage:
            print(f"\nStreamed for {usd(chunk.usage.cost)}.")


def repeat() -> None:
    """Sends the same call twice, as after a lost connection: the second response is a replay that costs nothing."""
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    for attempt in ("First", "Second"):
        raw = client.chat.completions.with_raw_response.create(
            model=model, messages=messages, extra_headers=headers
        )
        print(f"{attempt} attempt: {raw.parse().choices[0].message.content}")
        if raw.headers.get("idempotent-replayed") == "true":
            charge = "Replayed for nothing"
        else:
            charge = f"Charged {usd(raw.headers['x-cost-usd'])}, {usd(raw.headers['x-balance-usd'])} left"
        print(f"{charge}, request {raw.headers['x-request-id']}.")


def fail() -> None:
    try:
        client.chat.completions.create(model="no/such-model", messages=messages)
    except openai.APIStatusError as error:
        # 402: add credit. 429 and 503: try again later. Other 4xx: correct the request. Nothing was charged.
        print(f"Rejected: {error.status_code} {error.code} ({error.param}), request {error.request_id}.")


stream()
repeat()
fail()
