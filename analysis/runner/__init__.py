"""Starting, measuring and stopping llama.cpp: a live campaign's raw records.

A live sweep leaves the same kind of thing as a pasted log: files under
``raw/<campaign>/`` that a parser reads. Nothing after the parsers knows that a
number was measured here.

Files
-----
::

    raw/<campaign>/campaign.toml         [live] says what to measure, [[runs]] each configuration
    raw/<campaign>/live/<run id>.jsonl   the records of one configuration, all repeats
    raw/<campaign>/live/plan.json        what the sweep is, as hashes; --resume compares it
    raw/<campaign>/live/logs/…           the servers' own logs; kept, not committed

A run of a campaign with ``[live]`` that names no ``log`` is read from its own
``live/<run id>.jsonl`` once that exists.

Records
-------
One JSON object a line, appended and flushed to the disk one by one. The file
is valid at every moment; a last line without its line end was cut off in the
middle and does not count. Every record has ``record``, ``run`` (the id) and
``repeat`` (from 1). Times are seconds on a monotonic clock, except llama.cpp's
own ``timings``, which stay as they were sent (ms). Null is "not known".
Records appear in the order run, request…, end for each server start; a server
that was started again, after it died or on ``--resume``, begins with another
``run`` record of the same repeat and a higher ``start``.

``{"record": "run", …}``: one server start of one configuration.

=================  ===============================================================
``schema``         1
``start``          1 for the first server of this run and repeat, then 2, …
``label``          of campaign.toml, or null
``started``        UTC, ``2026-11-30T18:40:00Z``; the one use of the wall clock
``at_s``           the start, in seconds since the sweep's; counts anew after ``--resume``
``place``          which start of the plan this is, from 1
``server``         ``embedded``, ``executable`` or ``remote``
``engine``         what runs llama.cpp, e.g. ``xllamacpp 2026.10.11549``
``build``          llama.cpp's build, e.g. ``b11549``; ``commit`` as far as it says
``identity``       what the server says that it is, see ``identity.read_identity``: build, model,
                   context, slots, samplers, a hash of the chat template
``command``        the llama-server command line (for ``embedded``: the equal one), secrets
                   replaced by ``***`` and the home folder by ``~``; null for ``remote``
``environment``    variables that can change what is measured, by name; null for ``remote``
``config_files``   configuration files of the machine that llama.cpp applied
``spec_type``      llama-server's name; ``none`` for a baseline
``n_max``          depth in effect, as the server's own log or counters say; null with ``none``
``n_max_requested``  depth of campaign.toml
``clamp``          the server's sentence when it lowered the depth, else null
``p_min``          as campaign.toml says, else 0.0 where a draft model is in use
``synthetic``      true when ``synthetic_rates`` is set: never a real result
``synthetic_rates``  survival by position, or null
``target``         facts of the GGUF file, ``model_files.ModelFile.as_dict()`` with hashes;
``draft``          null where there is none. Never a path.
``machine``        facts from ``machine.py``, load before the start included; null for ``remote``
``prompt_set``     ``sha256:…`` of the prompts; figures compare only within one
``max_tokens``     per request
``sampler``        ``{"temperature": 0.0, "seed": 42}`` and what else the requests say of it
``parallel``       requests at once: clients, and slots of a server of ours
``context``        tokens of filler before the task; null where the campaign has no such axis
``surroundings``   load, clocks, heat and power once the server was ready, see
                   ``surroundings.Watch.now``; null for ``remote``
``filler``         ``{"sha256": …, "tokens": {task: n}}`` of it, by the server's own tokenizer;
                   null where there is none
``request``        fields of the requests, as campaign.toml says them, or null
=================  ===============================================================

``{"record": "request", …}``: one answered request.

=====================  ===========================================================
``task``, ``workload``  name and class of the prompt
``seed``               of this request; in a synthetic run each has its own, or all would repeat
                       the same coins
``at_s``               seconds from the server's readiness to the request
``wall_s``             whole request as the client saw it
``first_token_s``      until the first generated token was there
``prompt_tokens``      tokens in the prompt that were processed
``predicted_tokens``   tokens generated
``draft_tokens``       drafted; 0 when the server says that nothing was
``accepted_tokens``    accepted
``draft_s``            time that the server spent drafting, from its log; null where it says none
``timings``            the numbers of llama.cpp's own object, as sent (milliseconds)
``positions``          ``{"accepted": [n₁, n₂, …], "rounds": n}``: accepted at position 1, 2, …
                       and verification rounds, from differences of ``/metrics``; null without
``rounds``             ``{"drafted": […], "accepted": […], "at_s": […]}``, one item a round, from
                       the trace in the server's log, whose clock ``at_s`` is on; null without.
                       ``confidence`` has the probabilities of each round's tokens where they
                       are logged, else null
``finish_reason``      ``stop``, ``length``, …
``output_hash``        ``sha256:…`` of the generated text as UTF-8
``tokens``             ids of the text's tokens by the server's own tokenizer, asked after the
                       request; null where it has none, or where the text has a secret in it
``text``               the generated text where ``keep_text = true``, else null
``energy_j``           energy that the GPUs used during the request, or null
``surroundings``       load of other programs, clocks, heat, throttling and power meanwhile, see
                       ``surroundings.Watch.during``; null where the server is on another machine
``slot``               with several at once: the slot that served it; null where the server chose.
                       So have ``error`` records
``steady``             with several at once: whether all clients were busy from its start to its
                       end. So have ``error`` records
``tokens_s``           with several at once: seconds until each token was there
=====================  ===========================================================

``{"record": "error", …}``: one request without an answer. ``task``, ``workload``,
``at_s`` and ``wall_s`` as above; ``kind`` is one of ``timeout``, ``server-died``,
``connection``, ``http``, ``malformed``, ``implausible`` (numbers that contradict each
other or the request), ``server-error``; ``message`` one line. It is never averaged
in. When the same task of the same repeat is answered later (``--resume``), the
answer counts.

``{"record": "end", …}``: the server was stopped. ``reason`` is ``done``, ``enough``
(tuning had learned enough before all tasks were asked), ``interrupted``,
``server-died``, ``changed`` or ``failed``; ``finished`` UTC.
With several requests at once, ``thrown_away`` counts those that filled and emptied
the server, and ``steady`` is ``{"s": …, "tokens": …}``: from the first measured
request's start to the last one's end, and what came in it of all requests; null
where a client fell silent. ``surroundings`` as in the run's record, after the last
request; null for ``remote``.
``changes``: what it said otherwise of itself after its last request than before
its first, as phrases.

Whatever comes from a server has gone through ``redaction.py``.
"""
