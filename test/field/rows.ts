/**
 * What the field has found, row by row: what must hold, and the tests that hold it, by their titles. A row is open while
 * something of it does not hold; then it names its issue. Letters and numbers are those of the report of the field.
 */

/** The file of a test below `test/`, and the text of its title in that file. */
export type Place = readonly [file: string, title: string]

export interface Row {
  readonly holds: string
  readonly tests?: readonly Place[]
  /** The issue that mends what does not hold yet. */
  readonly open?: number
  /** Public threads with the same fault, `repo#number`. */
  readonly sources?: readonly string[]
}

const peopleAndJournals: Readonly<Record<string, Row>> = {
  A1: {
    holds: 'A question that was told stays until it is answered, whatever the definition is by then.',
    tests: [
      ['behaviours/drift/edits.test.ts', 'of %s: a denial never starts the tool'],
      ['behaviours/drift/edits.test.ts', 'of %s: recover starts nothing, and asks still'],
    ],
    sources: ['mastra-ai/mastra#20470'],
  },
  A2: {
    holds: 'A run whose agent was edited can be answered, cancelled, resumed and deleted.',
    tests: [
      ['behaviours/drift/edits.test.ts', 'an edit while an approval waits'],
      ['behaviours/drift/edits.test.ts', 'a run that cannot go on'],
      ['http/stuck.test.ts', 'no client ends a run by force'],
    ],
  },
  A3: {
    holds:
      'A fork sees the conversation as it stood at its entry, and keeps what it adds in threads of its own.',
    tests: [
      ['durability/forks/threads.test.ts', 'at every entry of a turn, resource %s'],
      ['durability/forks/working-memory.test.ts', 'the live one stays'],
    ],
    sources: ['langchain-ai/langgraph#4987'],
  },
  A4: {
    holds:
      'A close ends no run, not one within the call of another either, and the reason of a signal names it.',
    tests: [
      ['behaviours/nested/nested.test.ts', 'over a close of the troupe, in %s'],
      ['behaviours/contexts/async-context.test.ts', 'what ends a call'],
    ],
    sources: ['mastra-ai/mastra#21193'],
  },
  A5: {
    holds: 'A nested run is found again by the key of its call after a kill, and goes on once.',
    tests: [
      ['behaviours/nested/nested.test.ts', 'begun by a %s, it goes on once'],
      ['behaviours/nested/two-workers.test.ts', 'a nested run that no call takes up again is cancelled'],
    ],
    sources: ['cloudflare/agents#1630', 'OpenHands/OpenHands#5074'],
  },
  A6: {
    holds: 'Each option of resume and fork has its effect, or is refused by name.',
    tests: [['durability/forks/options.test.ts', 'fork refuses another %s by its name']],
  },
  A7: {
    holds: 'A fork behind the beginning of a call makes the call again: nothing was interrupted.',
    tests: [['durability/forks/shared-calls.test.ts', 'makes the call again, also in a chain of forks']],
  },
  A8: {
    holds: 'A call that suspends more than once finds all its answers, by order and by name.',
    tests: [['behaviours/people/suspensions.test.ts', 'whatever a tool asks, and whichever process goes on']],
    sources: ['langchain-ai/langgraph#5952'],
  },
  A9: {
    holds: 'The wall clock bounds the whole of a run, its last turns too.',
    tests: [
      ['behaviours/limits/last-turns.test.ts', 'in its last turn too: the run ends after half of the limit'],
    ],
  },
  A10: {
    holds: 'A bail and the end of the subagent are two facts for every rule.',
    tests: [['testing/explore/rules.test.ts', 'a bail and the end of the subagent are two facts']],
  },
  A11: {
    holds: 'A counterexample says what each function answered.',
    tests: [
      ['testing/explore/paths.test.ts', 'a path is given the answers that functions had in the exploration'],
    ],
  },
  A12: {
    holds: 'A function of the run is told by its place, and never by its parameters.',
    tests: [['behaviours/delegation/handoff.test.ts', 'is told by its place alone, whatever its parameters']],
  },
  A13: {
    holds: 'A late bail, a listener that throws and a wrong score are told, and end nothing.',
    tests: [
      [
        'user-functions/late-and-wrong.test.ts',
        'a bail after its hook has returned is told, and changes nothing',
      ],
      [
        'user-functions/late-and-wrong.test.ts',
        'a listener %s is told, and the run ends as it was cancelled',
      ],
      [
        'user-functions/late-and-wrong.test.ts',
        'a scorer that answers %j is told for that, and not asked again',
      ],
    ],
  },
  A14: {
    holds: 'A budget holds over a tree of agents on Restate too.',
    tests: [['restate/worker/budgets.test.ts', 'holds over agents that work at the same time']],
  },
  A15: {
    holds:
      'Nothing that is not seen is shown as nothing where somebody decides, and who answered is on record.',
    tests: [
      ['actors/values/visible-text.test.ts', 'no hidden character is left'],
      ['inspector/browser/hostile.test.ts', 'has no character that is not seen where somebody decides'],
    ],
  },
}

const serversAndClients: Readonly<Record<string, Row>> = {
  B1: {
    holds: 'A refusal on a connection that once worked leads to one new connection.',
    tests: [
      ['mcp/lost-sessions.test.ts', 'is made anew for a list of tools'],
      [
        'mcp/lost-sessions.test.ts',
        'is made anew once for all calls, each is made once, and nobody is asked',
      ],
      ['mcp/restart.test.ts', 'of 50 calls'],
    ],
    sources: ['mastra-ai/mastra#7675', 'mastra-ai/mastra#15160'],
  },
  B2: {
    holds: 'A lost session cuts no call that is under way.',
    tests: [
      ['mcp/lost-sessions.test.ts', 'the calls that an old session has begun go on'],
      ['mcp/interleavings.test.ts', 'each call is begun at most once'],
    ],
    sources: ['anthropics/claude-code#83655'],
  },
  B3: {
    holds: 'The time of a person does not count for the tool of an older MCP server.',
    tests: [
      ['mcp/older-servers.test.ts', 'a server is told that nobody can be asked'],
      ['mcp/older-servers.test.ts', 'its time is not that of the tool'],
      ['mcp/older-servers.test.ts', 'is not polled for any more'],
      ['mcp/served.test.ts', 'a client of the revision'],
    ],
    sources: ['modelcontextprotocol/typescript-sdk#2615'],
  },
  B4: {
    holds: 'A schema is refused where it is made, and a fallback holds for one schema.',
    tests: [
      ['actors/schemas/sent-schema.test.ts', 'z.%s takes no JSON, and is refused where a tool is made'],
      [
        'actors/schemas/sent-schema.test.ts',
        'z.%s: a typed answer, a tool and a strict tool are taken at once',
      ],
      [
        'actors/schemas/sent-schema.test.ts',
        'what is left to our own check is named with its place, and told in words',
      ],
      [
        'actors/schemas/sent-schema.test.ts',
        'a discriminated union loses nothing, and variants that may overlap are told',
      ],
      [
        'actors/openai/kept/quirks.test.ts',
        'a schema that is refused costs no other schema of the model its format',
      ],
    ],
    sources: ['vercel/ai#16021'],
  },
  B5: {
    holds: 'A server that takes no tools beside a typed answer is known by its words.',
    tests: [['actors/openai/kept/quirks.test.ts', 'tools beside a shape: %s']],
    sources: ['vercel/ai#10023'],
  },
  B6: {
    holds: 'The one JSON value of the right shape is found among thoughts and words.',
    tests: [
      [
        'actors/text/json-in.test.ts',
        'the one value that fits counts; where two fit, the model is asked to decide',
      ],
      ['actors/text/json-in.test.ts', 'any JSON is found behind any thoughts and between any words'],
      ['actors/text/thoughts.test.ts', '%s: thoughts are reasoning, and no delta of text shows them'],
    ],
    sources: ['vercel/ai#11489'],
  },
  B7: {
    holds: 'Null for a field that may be left out is left out.',
    tests: [
      ['actors/schemas/validate.test.ts', 'null for what may be left out is left out: %s'],
      [
        'actors/schemas/foreign-schema.test.ts',
        'a field that is named "pattern" is checked as any other, and nulls are left out',
      ],
    ],
    sources: ['mastra-ai/mastra#17655'],
  },
  B8: {
    holds: 'What was refused or cut has no part in the next turn.',
    tests: [
      ['http/chats.test.ts', "a text that was %s is not the assistant's in the next turn"],
      ['http/chats.test.ts', 'the texts of two steps are two texts in the next turn'],
    ],
    sources: ['vercel/ai#18667'],
  },
  B9: {
    holds: 'A file that the tool of a subagent makes is handed up by its name.',
    tests: [
      ['behaviours/files/made-below.test.ts', 'has it once where the reply gives it too'],
      ['behaviours/files/handing-on.test.ts', 'nothing, and is rejected, where a name is unknown'],
    ],
    sources: ['vercel/ai#5234'],
  },
  B10: {
    holds: 'A reply that is a file is a file on every wire, without a text.',
    tests: [
      ['http/answers-of-files.test.ts', 'over the wire %s'],
      ['http/answers-of-files.test.ts', 'as a tool of an MCP server'],
      ['http/answers-of-files.test.ts', 'as a language model of the AI SDK'],
      ['behaviours/files/answers.test.ts', 'a router that leaves its answer out has the last result'],
    ],
  },
  B11: {
    holds: 'Bytes are refused by name, or are a file.',
    tests: [
      ['behaviours/agents/json-values.test.ts', 'bytes are refused by name, and no list of numbers'],
      ['behaviours/files/results.test.ts', 'a tool gives files'],
    ],
  },
  B12: {
    holds: 'Each wire sends the JSON that the journal has.',
    tests: [
      ['a2a/conformance.test.ts', 'leaves its data as the journal has them'],
      [
        'a2a/version-0.3.test.ts',
        'data of the answer are those of the model, whatever the schema makes of them',
      ],
      ['mcp/server.test.ts', 'leaves its structured content as the journal has it'],
    ],
  },
  B13: {
    holds: 'Clients of A2A 0.3 are served, and tasks outlive a restart.',
    tests: [
      [
        'a2a/version-0.3.test.ts',
        'a stream ends with the event that is marked as the last: an end, and a question',
      ],
      ['a2a/version-0.3.test.ts', 'a question outlives its process, and is answered in another'],
      ['a2a/lasting.test.ts', 'a reader comes back in another process, and sees the work to its end'],
      ['a2a/push.test.ts', 'without the option the card says so, and nothing is kept'],
      ['a2a/lasting.test.ts', 'after a crash a task is as its run is, once the run goes on elsewhere'],
    ],
  },
  B14: {
    holds: 'The chat wires are whole: ends, cancels, answers, and tools of the page.',
    tests: [
      ['http/collected.test.ts', 'each stream ends with its request'],
      ['http/chats.test.ts', 'the stop button of a page cancels the run of its chat'],
      ['http/chats.test.ts', 'a page of useChat answers a call that is suspended twice'],
      ['http/authorize.test.ts', 'a caller that may read the run, and no more, is forbidden'],
      ['http/question-stream.test.ts', 'a reader gets the questions of its resource'],
      ['http/client-tools/page-tools.test.ts', 'a page of useChat performs the calls of its own tools'],
      [
        'http/client-tools/page-tools.test.ts',
        'a page of useChat answers the call of a later run that has the place of an earlier call',
      ],
      ['http/client-tools/page-tools.test.ts', 'a page of AG-UI answers its own calls by messages of tools'],
      ['http/client-tools/page-tools.test.ts', 'the model calls two tools of a page at once'],
      ['http/client-tools/page-tools.test.ts', 'a message in the place of a result starts a run of its own'],
      ['behaviours/people/client-tools.test.ts', 'a call of the client waits over a restart'],
      ['restate/client-tools.test.ts', 'a call of the client waits over a restart of its worker'],
    ],
    sources: [
      'ag-ui-protocol/ag-ui#1346',
      'ag-ui-protocol/ag-ui#1617',
      'run-llama/llama_index#22727',
      'algolia/instantsearch#7162',
      'vercel/ai#6469',
      'midday-ai/ai-sdk-tools#68',
    ],
  },
  B15: {
    holds: 'Spans have the names of the conventions, and trace state is kept.',
    tests: [
      ['otel/registry.test.ts', 'the names in the source'],
      ['otel/model-calls.test.ts', 'a call that fails has its server and settings too'],
      [
        'otel/model-calls.test.ts',
        'the id and the model of a reply are in the journal, and a replay has them',
      ],
      ['otel/model-calls.test.ts', 'the time to the first piece is that of the clock'],
      ['otel/platforms.test.ts', 'what %s shows of each span'],
      [
        'conformance/trace-context.test.ts',
        'the flags of a later version that this one does not know are left out',
      ],
      ['conformance/trace-context.test.ts', 'tracestate: %s'],
      ['behaviours/runs/tracestate.test.ts', 'over a resume, a restart and a nested run'],
      ['mcp/server.test.ts', 'a tracestate is that of the run, and a malformed one is none'],
      ['restate/crashes/otel.test.ts', 'the tracestate reaches all workflows of a run'],
    ],
  },
  B16: {
    holds: 'A reply that is whole is taken, whoever sends no finish reason.',
    tests: [
      ['actors/openai/chat/stream.test.ts', 'a stream of %s that has said its end needs no finish reason'],
      ['field/model-streams.test.ts', '%s: %s: the reply is whole'],
    ],
  },
  B17: {
    holds: 'The examples check the host, and the A2A client loads on Workers.',
    tests: [
      ['mcp/served.test.ts', 'a foreign Host, a foreign Origin and an unknown session are refused'],
      ['a2a/workers.test.ts', 'a script with troupe/a2a loads, and answers clients'],
      ['a2a/protocol.test.ts', 'a request to a name that is not of the agent is refused, also for its card'],
    ],
  },
  B18: {
    holds: 'A large file is digested without holding the event loop.',
    tests: [
      [
        'actors/values/sha256.test.ts',
        'a digest that waits lets other work go on beside that of large bytes',
      ],
    ],
  },
}

const hostileInput: Readonly<Record<string, Row>> = {
  D1: {
    holds: 'A reply is read in linear time, and no outcome on record holds a worker.',
    tests: [
      ['actors/text/linear.test.ts', '%s is read in linear time'],
      ['durability/leases/left-runs.test.ts', 'three processes in a row are killed by a run'],
    ],
  },
  D2: {
    holds: 'Every expression over foreign text is linear, and error texts are cut before they are searched.',
    tests: [
      ['scripts/regexes.test.ts', '%s is a fault'],
      ['actors/text/linear.test.ts', 'an error text is cut before it is searched, at the end of a word'],
    ],
  },
  D3: {
    holds: 'The pattern of a foreign schema does not run.',
    tests: [['actors/schemas/foreign-schema.test.ts', 'a pattern %s does not run']],
  },
  D4: {
    holds: 'Only a user with a name is let in: all else is 401, and a throw is 500 without its text.',
    tests: [
      [
        'user-functions/guards.test.ts',
        'authenticate: a wrong answer is 401, a throw is 500 without its text',
      ],
    ],
  },
  D5: {
    holds: 'Every function of a user is awaited, bounded and guarded, and what guards fails closed.',
    tests: [
      ['user-functions/options/every-option.test.ts', 'the list of the compiler and the rows are the same'],
      ['user-functions/guards.test.ts', 'lets nothing through where it does not answer'],
    ],
  },
  D6: {
    holds: 'The text of an inner error stays inside, over every wire.',
    tests: [['http/errors.test.ts', 'the code alone by default, and with errors: code']],
  },
  D7: {
    holds: 'A run can be forked wherever its id stands in its data.',
    tests: [
      ['durability/forks/shared-calls.test.ts', 'a run can be forked at every entry, wherever its id stands'],
    ],
  },
  D8: {
    holds: 'The work for a task grows with its calls, and data from outside is limited in number.',
    tests: [
      ['a2a/limits.test.ts', 'the work for a task grows with its calls, and not with their square'],
      ['a2a/limits.test.ts', 'a message with %s'],
    ],
  },
  D9: {
    holds: 'Readers share what they read, and one that does not read is cut off.',
    tests: [
      ['runtime/event-log.test.ts', 'readers that do not read hold no text of their own'],
      ['runtime/text-stream.test.ts', 'a reader that does not read is cut off'],
    ],
  },
  D10: {
    holds: 'Any number of milliseconds is waited for, and no server is waited for longer than an hour.',
    tests: [
      ['actors/values/timer.test.ts', 'no other file takes %s from the platform'],
      ['actors/openai/retry-after.test.ts', 'a wait of %d ms is not: the call fails'],
    ],
  },
  D11: {
    holds: 'Addresses, depths and states from outside, and unfit databases, are refused early and by name.',
    tests: [
      ['mcp/elicitation-address.test.ts', '%s is refused'],
      ['a2a/remote/tasks.test.ts', 'a task that has no state is not asked about for ever'],
      ['stores/postgres/unfit.test.ts', 'a pool of one connection'],
      ['behaviours/drift/forced-end.test.ts', 'a run of another release is ended, read and deleted'],
    ],
  },
}

const firstHour: Readonly<Record<string, Row>> = {
  C1: { holds: 'A run that fails unread is told, as one that waits is.', open: 42 },
  C2: { holds: 'A wrong option is met by the right one, in the words of the field.', open: 42 },
  C3: { holds: 'A page claims no absence that a test has not looked for.', open: 42 },
  C4: { holds: 'An app in XState is not told of success by a failed run.', open: 42 },
  C5: { holds: 'Configuration is held against the agents where it is set.', open: 42 },
  C6: {
    holds: 'Chunks of two runs share no message id, and failures have a type.',
    tests: [
      ['trustgraph/of-the-specification.test.ts', 'two runs on one topic have messages of their own'],
      [
        'trustgraph/of-the-specification.test.ts',
        'a subagent that fails, in its own session; the run goes on to its answer',
      ],
      [
        'trustgraph/of-the-specification.test.ts',
        'begin without history, and the synthesis reads the words of an error',
      ],
    ],
  },
  C7: {
    holds: 'The samples of the seeds run with the import alone changed.',
    tests: [
      ['mastra/programs.test.ts', '%s'],
      ['mastra/programs.test.ts', 'each section of the four documents is a program, or left out by name'],
      ['behaviours/delegation/mastra-samples.test.ts', 'the complete supervisor'],
    ],
  },
  C8: {
    holds: 'The package installs beside any peer that fits.',
    tests: [
      ['scripts/package.test.ts', 'what agents and an app share is a peer, so that there is one copy'],
      [
        'scripts/package.test.ts',
        'the package of a subpath refuses no later version, and no app that does without it',
      ],
      ['scripts/package.test.ts', 'a package that lacks what is needed is refused by its name, with a code'],
    ],
  },
  C9: {
    holds: 'The package holds nothing that no entry reaches.',
    tests: [
      [
        'scripts/package.test.ts',
        'a declaration is published where an entry reaches it, by any form of import',
      ],
    ],
  },
  C10: { holds: 'Examples run from the package, and an agent shows no internals.', open: 42 },
  C11: { holds: 'The machines of the card can be imported, and their charts are whole.', open: 42 },
}

const environments: Readonly<Record<string, Row>> = {
  E1: {
    holds: 'Every function of a user runs in the context of whoever started its run, on every store.',
    tests: [
      ['behaviours/contexts/async-context.test.ts', 'every function runs in the context of the starter'],
      [
        'behaviours/contexts/interleavings.property.test.ts',
        'every function meets the starter of its run, and nobody else',
      ],
    ],
    sources: ['vercel/workflow#839', 'brianc/node-postgres#2533'],
  },
  E2: {
    holds: 'Declarations of a program that narrows a public union compile.',
    tests: [
      ['scripts/unnameable.test.ts', 'a type that an exported one is made of must have an exported name'],
    ],
  },
  E3: {
    holds: 'CommonJS tests load the package.',
    tests: [
      ['entry/commonjs.test.ts', 'each subpath has a form for require, which Node, Bun and Deno pass over'],
      [
        'entry/commonjs.test.ts',
        'a run with a tool and a SQLite store works where no ES module can be required',
      ],
    ],
  },
  E4: {
    holds: 'Runs under fake timers end.',
    tests: [
      ['runtime/fake-timers.test.ts', 'a run with a tool and a subrun ends under %s, on %s'],
      ['runtime/fake-timers.test.ts', 'generate of an agent alone ends under %s'],
      [
        'runtime/fake-timers.test.ts',
        'time follows the fake timers: a timeout of a tool fires when the test moves them',
      ],
    ],
  },
  E5: { holds: 'A troupe may live at the level of a module on Workers.', open: 42 },
  E6: {
    holds: 'Errors of a second copy of the package are known.',
    tests: [
      ['runtime/error-copies.test.ts', '%s of another copy is of its class here, and of no other'],
      [
        'runtime/error-copies.test.ts',
        'a RetryableError of another copy is retried, by a tool and by a throttled model',
      ],
      ['runtime/error-copies.test.ts', 'the code of a store error of another copy is kept'],
    ],
  },
  E7: {
    holds: 'Errors keep their names under minifiers.',
    tests: [['runtime/error-copies.test.ts', 'names are literals: a bundle that shortens them has the same']],
  },
  E8: { holds: 'A troupe that is held by a global takes the agents of the same definition.', open: 42 },
  E9: { holds: 'File addresses, resolutions and permissions are met by their own words.', open: 42 },
}

const production: Readonly<Record<string, Row>> = {
  F1: {
    holds: 'What was deleted is in no file.',
    tests: [
      [
        'stores/erasure/erasure.test.ts',
        'no mark is left of runs of every kind, and what is of others stays',
      ],
    ],
  },
  F2: {
    holds: 'All that belongs to a resource goes with one call, also where a call before was cut.',
    tests: [
      [
        'stores/erasure/erasure.test.ts',
        'no mark is left of runs of every kind, and what is of others stays',
      ],
      ['stores/erasure/again.test.ts', 'a second call ends it, and touches nobody else'],
      ['stores/erasure/again.test.ts', 'a retention deletes notes %s'],
    ],
    sources: ['langchain-ai/langgraph#7206', 'mastra-ai/mastra#14128'],
  },
  F3: {
    holds: 'A restore to an older point repeats no effect unasked, and a copy without its log is refused.',
    tests: [
      ['durability/restored/restored-copies.test.ts', 'every copy in memory: %s'],
      ['durability/restored/restored-copies.test.ts', 'every copy on SQLite: %s'],
      [
        'durability/restored/restored-runs.test.ts',
        'a live process whose store goes back under it says so, and its runs ask',
      ],
      ['stores/sqlite-backup.test.ts', 'is refused after %d transactions (mmeyerlein/meclaw#60)'],
      [
        'stores/sqlite-backup.test.ts',
        'a backup in the place of a file is refused beside the log of that file (vavallee/bindery#2337)',
      ],
    ],
  },
  F4: {
    holds:
      'All that is written can be sealed, opens nowhere else, and stops no other run where its key is gone.',
    tests: [
      ['sealed/marks.test.ts', 'no mark is in a SQLite file'],
      ['sealed/marks.test.ts', 'no mark is in a table of Postgres'],
      ['sealed/integrity.test.ts', 'does not open where %s'],
      ['sealed/integrity.test.ts', 'that %s for one resource refuses its runs alone'],
      ['sealed/forgetting.test.ts', 'can be ended by force, and deleted'],
      ['sealed/redaction.test.ts', 'no text of a run has it'],
      ['restate/sealed.test.ts', 'leaves no mark'],
    ],
    sources: ['langchain-ai/langgraph#8938', 'langchain-ai/langgraph#9004', 'temporalio/sdk-python#131'],
  },
  F5: {
    holds: 'A record that was forged is found.',
    tests: [
      [
        'audit/chained-store.test.ts',
        'an approver that was forged in the table, with its checksum, is found',
      ],
      ['audit/chained-store.test.ts', 'each change of a journal is found where it begins'],
      ['behaviours/people/decisions.test.ts', 'each decision stands with its author, its time and its call'],
    ],
  },
  F6: {
    holds: 'A process drains before it closes, within a deadline.',
    tests: [
      ['durability/drain.test.ts', 'ends, is called once, and its run goes on elsewhere at once'],
      ['durability/drain.test.ts', 'holds up no close, and every promise settles'],
      ['simulation/simulation.test.ts', 'call no tool twice that ends in time'],
    ],
  },
  F7: {
    holds: 'Many deletions do not hold the event loop.',
    tests: [['stores/erasure/again.test.ts', 'other work has its turn between deletions in a loop']],
  },
  F8: {
    holds: 'A troupe says how it is, in numbers, and each of its problems has a code.',
    tests: [
      ['runtime/health/stats.test.ts', 'count runs and questions of all processes, and have no name in them'],
      ['runtime/health/stats.test.ts', 'tell of a run whose process has gone, until another takes it'],
      [
        'otel/gauges.test.ts',
        'each gauge has the numbers of stats, and no name of a run, an agent or a resource',
      ],
      ['http/health.test.ts', 'they are for those who may see the runs of all resources, and nobody else'],
      ['behaviours/observing/problem-lines.test.ts', 'what is asked for is in the line'],
    ],
  },
}

export const rows: Readonly<Record<string, Row>> = {
  ...peopleAndJournals,
  ...serversAndClients,
  ...firstHour,
  ...hostileInput,
  ...environments,
  ...production,
}
