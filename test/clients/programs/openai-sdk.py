"""The official OpenAI SDK on every model of MODELS: a tool, a streamed turn that sends back all of the last outputs, a typed output.

Prints what it saw of each, as JSON.
"""

import json
import os

from openai import OpenAI
from pydantic import BaseModel

client = OpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["API_KEY"], max_retries=0)
WEATHER = {
    "type": "function",
    "name": "get_weather",
    "description": "The weather in a city.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    },
    "strict": True,
}


class Person(BaseModel):
    name: str
    age: int


def see(model: str) -> dict:
    history: list = [{"role": "user", "content": "Use get_weather for Oslo."}]
    called = client.responses.create(model=model, input=history, tools=[WEATHER])
    calls = [item for item in called.output if item.type == "function_call"]
    history += called.output
    history += [
        {"type": "function_call_output", "call_id": call.call_id, "output": "minus 7 degrees"} for call in calls
    ]
    answered = client.responses.create(model=model, input=history, tools=[WEATHER])
    history += answered.output
    history.append({"role": "user", "content": "Repeat exactly: second turn"})
    with client.responses.stream(model=model, input=history, tools=[WEATHER]) as stream:
        streamed = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        whole = stream.get_final_response().output_text
    person = client.responses.parse(model=model, input="Describe a person.", text_format=Person).output_parsed
    return {
        "tool": answered.output_text,
        "second": whole,
        "streamed": streamed,
        "person": person.model_dump(),
        "runs": len(calls),
    }


print(json.dumps({model: see(model) for model in os.environ["MODELS"].split(",")}))
