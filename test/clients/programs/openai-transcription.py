"""The official OpenAI SDK: a transcript, the times of its words, and an unknown language. Prints what it saw, as JSON."""

import json
import os

from openai import BadRequestError, OpenAI

transcriptions = OpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["API_KEY"], max_retries=0).audio.transcriptions


def transcribe(**asked):
    with open(os.environ["FILE"], "rb") as file:
        return transcriptions.create(model=os.environ["MODEL"], file=file, **asked)


plain = transcribe(language="en")
verbose = transcribe(response_format="verbose_json", timestamp_granularities=["word"])
try:
    transcribe(language="klingon")
    param = None
except BadRequestError as error:
    param = error.param

words = verbose.words or []
print(
    json.dumps(
        {
            "plain": plain.text,
            "verbose": verbose.text,
            "duration": float(verbose.duration),
            "words": len(words),
            "last": words[-1].word,
            "param": param,
        }
    )
)
