"""The OpenAI Agents SDK on every model of MODELS: a tool, a second turn from its own history, a handoff and a stream.

Prints what it saw of each, as JSON.
"""

import asyncio
import json
import os

from agents import Agent, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)
client = AsyncOpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["API_KEY"], max_retries=0)
cities: list[str] = []


@function_tool
def get_weather(city: str) -> str:
    """The weather in a city."""
    cities.append(city)
    return "minus 7 degrees"


async def see(name: str) -> dict:
    model = OpenAIResponsesModel(model=name, openai_client=client)
    helper = Agent(name="helper", instructions="Help.", model=model, tools=[get_weather])
    front = Agent(name="front", instructions="Hand over.", model=model, handoffs=[helper])
    cities.clear()
    first = await Runner.run(helper, "Use get_weather for Oslo.")
    following = {"role": "user", "content": "Repeat exactly: second turn"}
    second = await Runner.run(helper, [*first.to_input_list(), following])
    handed = await Runner.run(front, "Use transfer_to_helper.")
    stream = Runner.run_streamed(helper, "Use get_weather for Rome.")
    streamed = ""
    async for event in stream.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            streamed += event.data.delta
    return {
        "tool": first.final_output,
        "second": second.final_output,
        "agent": handed.last_agent.name,
        "streamed": streamed,
        "whole": stream.final_output,
        "runs": len(cities),
    }


async def main() -> None:
    print(json.dumps({name: await see(name) for name in os.environ["MODELS"].split(",")}))


asyncio.run(main())
