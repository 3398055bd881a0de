"""The official OpenAI SDK: speech, whole and streamed, and an unknown voice. Prints what it saw, as JSON."""

import json
import os

from openai import BadRequestError, OpenAI

client = OpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["API_KEY"], max_retries=0)
asked = {"model": os.environ["MODEL"], "input": "The quick brown fox jumps over the lazy dog."}

whole = client.audio.speech.create(voice="nova", **asked).content
with client.audio.speech.with_streaming_response.create(voice="alloy", response_format="wav", speed=2, **asked) as response:
    streamed = b"".join(response.iter_bytes())
try:
    client.audio.speech.create(voice="nobody", **asked)
    param = None
except BadRequestError as error:
    param = error.param

print(json.dumps({"mp3": len(whole), "wav": len(streamed), "type": streamed[:4].decode(), "param": param}))
