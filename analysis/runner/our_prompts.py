"""Which thirteen prompts does a live run send when it is given none?

They carry the names, and ask for the kinds of text, of mtp-bench's tasks, so
that workloads line up. The wording is this project's own: figures measured
with them are comparable with each other and with nobody else's.

A change to any of them changes the prompt set's digest, and with it what may
be compared. The list is a literal, so ``prompt_files.read`` reads this very file
like a user's.
"""

from __future__ import annotations

__all__ = ["PROMPTS"]

PROMPTS = [
    {
        "name": "code_python",
        "workload": "code",
        "prompt": (
            "Write a Python function `merge_intervals(intervals)` that takes a list of (start, "
            "end) tuples in any order and returns the list of merged, non-overlapping intervals "
            "in ascending order. Include type hints, a docstring and three assertions that show "
            "its behaviour, one of them for the empty list."
        ),
    },
    {
        "name": "code_cpp",
        "workload": "code",
        "prompt": (
            "Implement a fixed-capacity ring buffer in C++17 as a class template "
            "`RingBuffer<T, N>` with push, pop, size, empty and full. Pushing into a full buffer "
            "overwrites the oldest element. Use no dynamic allocation, and show a short main() "
            "that exercises it."
        ),
    },
    {
        "name": "explain_concept",
        "workload": "explanation",
        "prompt": (
            "Explain to a first-year student how a hash table finds a value in roughly constant "
            "time, what a collision is, and two common ways of dealing with collisions. Use one "
            "everyday comparison and one small numeric example."
        ),
    },
    {
        "name": "summarize",
        "workload": "reasoning",
        "prompt": (
            "Summarise the following report in two sentences.\n\n"
            "The harbour ferry carried 18 percent more passengers this year than last, mostly "
            "because the bridge was closed for repairs between March and August. Complaints about "
            "delays doubled in the same months: the two older boats needed longer to dock when "
            "they were full, and the ticket machines on the north pier failed eleven times. In "
            "September the company added a third boat and moved ticket sales to the phone, after "
            "which delays fell below the level of the year before. Passengers, however, have "
            "mostly stayed, although the bridge is open again; in a survey, four in ten said that "
            "they prefer the crossing because they can read during it. The company now wonders "
            "whether to keep the third boat through the winter, when fuel costs are highest."
        ),
    },
    {
        "name": "qa_factual",
        "workload": "reasoning",
        "prompt": (
            "Why does the Moon always show nearly the same face to the Earth? Give the name of "
            "the effect, how it came about, and one other pair of bodies in the solar system that "
            "shows it."
        ),
    },
    {
        "name": "translation",
        "workload": "creative",
        "prompt": (
            "Translate into German: The library closes an hour earlier on Fridays, so please "
            "return the books that you borrowed before the afternoon."
        ),
    },
    {
        "name": "creative_short",
        "workload": "creative",
        "prompt": (
            "Write the opening paragraph of a story about a clockmaker who discovers that one of "
            "the clocks in the shop runs backwards only while nobody is looking."
        ),
    },
    {
        "name": "stepwise_math",
        "workload": "reasoning",
        "prompt": (
            "Work this out step by step and state the result at the end. A tank holds 240 litres "
            "when full. One tap fills it in 40 minutes, a second one in 60 minutes, and an open "
            "drain empties a full tank in 120 minutes. Both taps and the drain are opened on an "
            "empty tank. After how many minutes does it hold 150 litres?"
        ),
    },
    {
        "name": "json_output",
        "workload": "code",
        "prompt": (
            "Return nothing but a JSON array of six objects that describe fictional weather "
            'stations. Each object has the keys "id" (integer), "name" (string), "latitude" and '
            '"longitude" (numbers), "elevation_m" (integer), "sensors" (array of strings) and '
            '"active" (boolean).'
        ),
    },
    {
        "name": "long_reasoning",
        "workload": "reasoning",
        "prompt": (
            "Five friends, Ada, Ben, Cleo, Dan and Eva, sit in a row of five chairs. Ada does not "
            "sit at an end. Ben sits somewhere to the left of Cleo. Dan sits directly beside Eva. "
            "Cleo sits in the middle chair. Find every possible order from left to right. Reason "
            "carefully through the cases, state which rule excludes each one, and finish with "
            "the complete list."
        ),
    },
    {
        "name": "repeat_pattern",
        "workload": "code",
        "prompt": (
            "Continue this table in exactly the same format up to row 20, and write nothing "
            "else.\n\n"
            "row 01 | square 1 | even no\n"
            "row 02 | square 4 | even yes\n"
            "row 03 | square 9 | even no\n"
            "row 04 | square 16 | even yes\n"
        ),
    },
    {
        "name": "code_completion",
        "workload": "code",
        "prompt": (
            "Complete the two methods whose bodies are missing, and return the whole class.\n\n"
            "```python\n"
            "class Account:\n"
            "    def __init__(self, owner: str, balance: int = 0) -> None:\n"
            "        self.owner = owner\n"
            "        self.balance = balance\n"
            "        self.history: list[tuple[str, int]] = []\n"
            "\n"
            "    def deposit(self, amount: int) -> None:\n"
            "        if amount <= 0:\n"
            '            raise ValueError("amount must be positive")\n'
            "        self.balance += amount\n"
            '        self.history.append(("deposit", amount))\n'
            "\n"
            "    def withdraw(self, amount: int) -> None:\n"
            "        ...\n"
            "\n"
            '    def transfer(self, other: "Account", amount: int) -> None:\n'
            "        ...\n"
            "```\n"
        ),
    },
    {
        "name": "long_code_review",
        "workload": "explanation",
        "prompt": (
            "Review the following module of a job scheduler. It runs in production; now and then "
            "a job is executed twice, and memory grows over days. Name each problem with the line "
            "that causes it, say how it shows, and propose a correction. Then say which problem "
            "you would fix first, and why.\n\n"
            "```python\n"
            "import json\n"
            "import threading\n"
            "import time\n"
            "import urllib.request\n"
            "\n"
            "RESULTS = {}\n"
            "PENDING = []\n"
            "lock = threading.Lock()\n"
            "\n"
            "\n"
            "def submit(job, retries=[]):\n"
            "    retries.append(0)\n"
            '    job["submitted"] = time.time()\n'
            "    PENDING.append(job)\n"
            "\n"
            "\n"
            "def next_job():\n"
            "    if PENDING:\n"
            '        job = min(PENDING, key=lambda item: item["priority"])\n'
            "        with lock:\n"
            "            PENDING.remove(job)\n"
            "        return job\n"
            "    return None\n"
            "\n"
            "\n"
            "def fetch(url):\n"
            "    for attempt in range(5):\n"
            "        try:\n"
            "            return urllib.request.urlopen(url).read()\n"
            "        except Exception:\n"
            "            time.sleep(2 ** attempt)\n"
            "\n"
            "\n"
            "def execute(job):\n"
            '    body = fetch(job["url"])\n'
            "    data = json.loads(body)\n"
            '    RESULTS[(job["id"], time.time())] = data\n'
            '    if data.get("status") != "ok":\n'
            "        submit(job)\n"
            '    elif job.get("callback"):\n'
            '        eval(job["callback"])\n'
            "\n"
            "\n"
            "def worker():\n"
            "    while True:\n"
            "        job = next_job()\n"
            "        if job is None:\n"
            "            continue\n"
            "        try:\n"
            "            execute(job)\n"
            "        except ValueError:\n"
            "            submit(job)\n"
            "            raise\n"
            "\n"
            "\n"
            "def start(count=8):\n"
            "    for number in range(count):\n"
            "        threading.Thread(target=worker).start()\n"
            "\n"
            "\n"
            "def progress(total):\n"
            "    done = len(RESULTS)\n"
            '    print("done: %d of %d (%d%%)" % (done, total, done / total * 100))\n'
            "```\n"
        ),
    },
]
