"""Pydantic AI on every model of MODELS: a tool, a second turn from its own history, a stream and a typed output.

Prints what it saw of each, as JSON.
"""

import asyncio
import json
import os

from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(base_url=os.environ["BASE_URL"], api_key=os.environ["API_KEY"])
cities: list[str] = []


def get_weather(city: str) -> str:
    """The weather in a city."""
    cities.append(city)
    return "minus 7 degrees"


class Person(BaseModel):
    name: str
    age: int


async def see(name: str) -> dict:
    model = OpenAIResponsesModel(name, provider=provider)
    agent = Agent(model, instructions="Help.", tools=[get_weather])
    cities.clear()
    first = await agent.run("Use get_weather for Oslo.")
    second = await agent.run("Repeat exactly: second turn", message_history=first.all_messages())
    history = second.all_messages()
    async with agent.run_stream("Repeat exactly: third turn", message_history=history) as stream:
        streamed = "".join([piece async for piece in stream.stream_text(delta=True)])
    person = await Agent(model, output_type=Person).run("Describe a person.")
    return {
        "tool": first.output,
        "second": second.output,
        "streamed": streamed,
        "person": person.output.model_dump(),
        "runs": len(cities),
    }


async def main() -> None:
    print(json.dumps({name: await see(name) for name in os.environ["MODELS"].split(",")}))


asyncio.run(main())
