/** The code of the README and of the pages of docs/ runs as it stands there, against a server that speaks the real protocol. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RestateServer } from '../scripts/restate/server.ts'
import type { Printed } from './support/processes/one-after-another.ts'
import { ReadmeServer } from './support/readme-server.ts'

const root = join(import.meta.dirname, '..')
const node = join(root, 'node_modules/node/bin/node')
const runner = join(import.meta.dirname, 'support/processes/one-after-another.ts')
/** A folder of its own for each run of this file, where no other test reads sources. */
const directory = join(root, `scratch/readme-${process.pid}`)
/** Code of `docs/reference` is that of adapters, which tests of their own hold; `docs/design` has none. */
const folders = [
  'docs/learn',
  'docs/concepts',
  'docs/guide',
  'docs/patterns',
  'docs/run',
  'docs/test',
  'docs/migrate',
]
const pages = [
  'README.md',
  ...folders.flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)),
]
const read = (page: string): string => readFileSync(join(root, page), 'utf8')

/** The first block of code under each heading, by page and heading. */
const blocks = pages.flatMap((page) =>
  [...read(page).matchAll(/^#{1,3} ([^\n]+)\n(?:(?!^#)[^\0])*?```ts\n([^\0]*?)```/gm)].map(
    ([, title = '', code = '']) => ({ place: `${page}: ${title}`, code }),
  ),
)

/** The whole output of a program, where its page has it: a block of text after "It prints:". */
const shown: ReadonlyMap<string, string> = new Map(
  pages.flatMap((page) =>
    [
      ...read(page).matchAll(
        /^#{1,3} ([^\n]+)\n(?:(?!^#)[^\0])*?```ts\n[^\0]*?```\n\nIt prints:\n\n```text\n([^\0]*?)\n```/gm,
      ),
    ].map(([, title = '', output = '']) => [`${page}: ${title}`, output] as const),
  ),
)

let server: ReadmeServer
let restate: RestateServer

beforeAll(async () => {
  mkdirSync(directory, { recursive: true })
  for (const { place, code } of blocks) writeFileSync(fileOf(place), code)
  restate = await RestateServer.start()
  server = await ReadmeServer.start()
})

afterAll(async () => {
  await restate.stop()
  await server[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true, force: true })
})

test('the quickstart is short, without a type argument or a cast', () => {
  const quickstart = blocks.find(({ place }) => place === 'README.md: Quickstart')?.code ?? ''
  expect(quickstart.trim().split('\n').length).toBeLessThanOrEqual(16)
  expect(quickstart).not.toMatch(/ as |<\w+>/)
})

/** The output of the code under each heading, or a part of it. */
const printed: Readonly<Record<string, string>> = {
  ...Object.fromEntries(shown),
  'README.md: Quickstart': 'completed The answer.',
  'docs/guide/tools.md: Tools': 'The answer.',
  'docs/guide/tools.md: Tool groups and states': 'find undefined found\nfound',
  'docs/guide/tools.md: A call that is required': 'The answer.',
  'docs/guide/tools.md: Runs within a call': "[ 'The answer.', 'The answer.' ]",
  'docs/guide/tool-search.md: Tools by the thousand': 'The answer.',
  'docs/guide/tool-search.md: How tools are found': 'refund',
  'docs/guide/tools.md: Progress': "index { done: 0, of: 1, name: 'Oslo' }",
  'docs/guide/tools.md: Schemas': "required: [ 'city' ]",
  'docs/guide/workflows.md: Workflows': '{ sent: true } The answer.',
  'docs/guide/typed-answers.md: Typed answers': 'Oslo 4',
  'docs/guide/compaction.md: Clear before you summarise': 'reader',
  'docs/guide/partial-answers.md: Partial answers': 'completed undefined',
  'docs/guide/skills.md: Skills': 'The answer.',
  'docs/guide/recall.md: Recall': 'The answer.',
  'docs/guide/code-mode.md: Code mode': 'The answer.',
  'docs/guide/models.md: What a provider wants back': 'thinker',
  'docs/guide/models.md: Sources': "title: 'Tides'",
  'docs/guide/models.md: The transport': 'gpt-5-mini gpt-5',
  'docs/guide/models.md: Rate limits': 'openai gpt-5-mini',
  'docs/guide/models.md: Models in a row': 'agent',
  'docs/guide/models.md: Models':
    'openai gpt-5-mini\nopenai qwen3\nopenai gpt-5\nmine parrot\nYou said: Hello',
  'docs/guide/ai-sdk.md: Models of the AI SDK': 'openai.chat gpt-5-mini\nThe answer.',
  'docs/guide/ai-sdk.md: Agents as models': 'The moon pulls at the sea. completed',
  'docs/guide/extending.md: Writing your own adapter': 'Ebb is a tide. []',
  'docs/guide/extending.md: A reader of runs': "true [] The answer.\n[ 'writer completed' ]\nrun-finish",
  'docs/guide/extending.md: A wire': '201\n400 404\n{',
  'docs/test/machines.md: Machines under plain XState':
    "[ 'model' ]\n[ 'delegation:1.1/finder (agent)' ]\nstep 1\nstep 2\ncompleted Snow is ice.",
  'docs/test/machines.md: Paths by @xstate/graph':
    "0 { thinking: 'calling' }\n1 completed\n1 { thinking: 'backingOff' }\n2 { thinking: 'calling' }\n3 failed\n6\n5",
  'docs/test/model-contract.md: The contract of models': '41 cases, 0 broken',
  'docs/test/store-contract.md: The contract of stores': 'The store keeps the contract.',
  'docs/guide/drawings.md: Drawings': '<svg <svg <svg',
  'docs/guide/delegation.md: Delegation': "outcome: 'completed'",
  'docs/guide/bail.md: Bail': 'writer The answer.',
  'docs/guide/delegation.md: The view of a subagent': 'finder succeeded',
  'docs/guide/review-and-scoring.md: Review and caps': 'completed 2',
  'docs/guide/review-and-scoring.md: Scoring': "completed [ 'failed', 'passed' ]",
  'docs/patterns/router.md: Routing': 'none It is done.\ncompleted',
  'docs/patterns/dispatcher.md: Dispatching': 'completed The answer. desk, sales',
  'docs/patterns/planner.md: Planning': 'completed look: complete, write: complete',
  'docs/patterns/fan-out.md: Fan-out': 'completed The answer. find: succeeded, check: succeeded',
  'docs/patterns/meta-router.md: Meta-routing':
    'task-type: decision, of general, research, risk-assessment, summarisation, decision (model)\npattern: debate, of debate, react (model)',
  'docs/patterns/reflexion.md: Reflexion': 'Name a source, like [1].\ncontent\nThe answer [1].',
  'docs/patterns/debate.md: Debate':
    'completed The answer. hope: succeeded, doubt: succeeded, hope: succeeded, doubt: succeeded',
  'docs/guide/handoff.md: Input of a handoff': "billing { priority: 'low' }",
  'docs/guide/handoff.md: A thread that stays with an agent': 'billing false\nbilling true',
  'docs/guide/handoff.md: Handoff': 'completed billing The answer. triage → billing',
  'docs/guide/views.md: From events to a tree': 'step tool step text\ncompleted The answer. succeeded',
  'docs/guide/views.md: A run in a page of text': 'Completed.\n',
  'docs/guide/views.md: Texts that people decide by':
    'pay⟨U+202E⟩001 to ⟨U+200B⟩ann\n{"to":"ann\\u202e"}\nOne.\nTwo⟨U+00AD⟩.\na[⟨U+200B⟩]b',
  'docs/guide/views.md: In React': '<p>pending<!-- --> </p>',
  'docs/guide/results-and-events.md: Watch a run': 'answer.',
  'docs/guide/results-and-events.md: Results': 'The answer.\n2 { guide: ',
  'docs/guide/streaming.md: Watching a run': 'completed ',
  'docs/guide/approval.md: Approval and suspension': '20 euros go to NO93 8601. completed',
  'docs/guide/approval.md: Several questions of one call':
    'To Oslo: window and beans, as ann says. completed',
  'docs/guide/files.md: Files': 'The answer.\nDoes it rise?\n[file "chart.png", image/png]',
  'docs/guide/files.md: Tools': 'completed',
  'docs/guide/files.md: Text of messages':
    'Confidential:\n[file "chart.png", image/png]\nA text is its own text.',
  'docs/guide/a2a.md: Agent2Agent': 'The answer.',
  'docs/guide/a2a.md: Push notifications': 'true',
  'docs/guide/a2a.md: Agents of other systems': "[ 'guide: succeeded' ] The answer.",
  'docs/guide/mcp.md: MCP': 'Echo: Oslo The answer.',
  'docs/guide/mcp.md: Foreign pages': '403',
  'docs/guide/mcp.md: Clients of 2025': '404',
  'docs/guide/mcp.md: Agents as tools': "content: [ { type: 'text', text: 'The answer.' } ]",
  'docs/guide/retries-and-cancelling.md: Retries, timeouts, cancelling': 'A haiku will do.',
  'docs/guide/compaction.md: Long conversations': 'The answer.',
  'docs/guide/memory.md: Memory': '4',
  'docs/guide/processors.md: Processors': 'tripped No advice on investments.',
  'docs/guide/agents.md: Agents that depend on the run': 'completed The answer.',
  'docs/guide/versions.md: Versions of an agent':
    "{ editor: null, writer: '1' }\nThe answer. { editor: null, writer: '2' }",
  'docs/guide/background.md: Delegations in the background': 'ended: succeeded',
  'docs/guide/background.md: Tools in the background': 'completed',
  'docs/guide/budgets.md: Budgets': 'completed 2 ',
  'docs/guide/schedules.md: Work that wakes up': '',
  'docs/patterns/planner.md: A person approves the plan': 'The answer.',
  'docs/guide/tenants.md: Budgets of tenants': 'completed 1 of 50',
  'docs/run/audit.md: Audit': 'true',
  'docs/run/time-travel.md: Time travel': "{ acting: 'working' } guide/delegation:1.1",
  'docs/run/time-travel.md: Threads of forks': '2 2',
  'docs/run/trail.md: The trail of a run':
    "{ thinking: 'calling' } { acting: 'working' } guide/delegation:1.1",
  'docs/run/trail.md: Charts': 'The model answers, or calls tools. [',
  'docs/run/provenance.md: Provenance':
    'desk (completed)\n  answer: "The answer."\n  iteration\n  synthesis\n',
  'docs/run/provenance.md: Written as the run goes': 'true',
  'docs/test/recorded-runs.md: Recorded runs': 'true Journal entry 1 (poet/model#1) does not match the run',
  'docs/run/durability.md: Runs on disk': 'completed 1',
  'docs/run/backups.md: SQLite': '1 0',
  'docs/run/backups.md: Postgres': '0 0',
  'docs/run/moving.md: Moving runs': '1 1',
  'docs/run/tools-in-doubt.md: Tools in doubt': 'completed 1',
  'docs/run/durability.md: Answers from elsewhere': 'suspended\ncompleted\n',
  'docs/run/restate.md: Past one machine': 'completed guide succeeded',
  'docs/run/inbox.md: Runs, inbox and deletion': 'cashier 1\nrefund\ncompleted\n0',
  'docs/run/erasure.md: Erasure': "[ { resourceId: 'ann', threads: 1 } ]\n1 1 []",
  'docs/run/embedding-in-xstate.md: Embedding in an XState app': 'run-finish\ndrafted The answer.',
  'docs/run/embedding-in-xstate.md: Every outcome': 'completed The answer.\nconfirmed []',
  'docs/run/embedding-in-xstate.md: React': '<button>Stop</button>',
  'docs/run/http.md: Runs over HTTP': '201 data: {',
  'docs/run/http.md: Tools of the page': '200',
  'docs/run/http.md: AG-UI': 'The answer.',
  'docs/run/story.md: Recording': '3 false',
  'docs/run/inspector.md: Inspector': 'completed',
  'docs/run/inspector.md: Who may look': '',
  'docs/run/inspector.md: The Stately inspector': 'completed',
  'docs/run/request-context.md: Request context': 'orders of ann\norders of bob',
  'docs/run/around.md: Wrappers around effects': 'poet model 1 true\ncompleted',
  'docs/run/around.md: Observers': 'poet goes to work: Write a haiku\npoet completed',
  'docs/run/around.md: Trace contexts': 'completed',
  'docs/run/otel.md: OpenTelemetry': 'completed',
  'docs/run/otel.md: One trace': 'completed undefined',
  'docs/test/scripted-model.md: Testing your agents': 'The sum is 3.',
  'docs/test/cover-machine.md: Testing an app with agents': '5 of 5 transitions',
  'docs/test/paths.md: Paths of a machine': 'one → approve → bank: is down → bank: is down\n6\n3\n6',
  'docs/test/golden-graphs.md: Golden graphs': '3 edges new, 1 gone\n4 of 4 transitions',
  'README.md: Every order, tested':
    'no refund without a check\n- desk: calls clerk, payer\n- clerk (desk 1.1): fails (MODEL_FAILED)\n',
  'docs/test/explore.md: Exploring agents':
    'true\nan order that was not checked is not paid\ndesk: calls clerk, payer\nclerk (desk 1.1): fails',
  'docs/test/explore.md: Paths as tests':
    'poet: answers “Snow falls.”\npoet: fails (MODEL_FAILED)\nthe run is cancelled',
  'docs/test/explore.md: Machines': "{ paid: 1, open: 1 } [ 'cancel' ]",
  'docs/test/lint.md: Linting agents':
    'error tool-outside-groups desk.agents.clerk.tools.refund It is never offered',
  'docs/test/virtual-time.md: Virtual time': '1\nNo one has approved it.',
  'docs/test/cassettes.md: Cassettes':
    'The answer. (asked: 1, replayed: 0)\nThe answer. (asked: 0, replayed: 1)\n',
  'docs/test/evaluate.md: Evaluators of other packages': '1',
  'docs/test/evaluate.md: Evaluating answers': '| Oslo | yes | completed | 1.00 | 4 |',
  'docs/migrate/from-mastra.md: Programs of Mastra':
    'researcher research-agent\nCalling: agent-researcher\nThe answer.\nstop',
  'docs/migrate/from-trustgraph.md: The pattern `supervisor`': 'The answer. 2',
  'docs/migrate/from-langgraph.md: Coming from LangGraph': 'The answer.',
  'docs/migrate/from-ai-sdk.md: Coming from the AI SDK': 'The answer.\ncompleted: 2 steps',
  'docs/migrate/from-openai-agents.md: Coming from OpenAI Agents': 'billing: The answer.',
  'docs/migrate/from-trustgraph.md: Coming from TrustGraph': 'answer The answer. false\nanswer  true',
  'docs/run/health.md: Numbers': '1 0 0',
  'docs/run/otel.md: Gauges': '',
  'docs/guide/pausing.md: Pausing a run': 'suspended\ncompleted',
  'docs/guide/dates.md: The date in a prompt': 'completed The answer.',
  'docs/guide/wrong-runs.md: My run went wrong': 'completed',
  'docs/patterns/sequence.md: A fixed sequence': 'completed The answer.',
  'docs/patterns/sequence.md: As a machine': 'edited The answer.',
  'docs/run/security.md: Security': 'completed The answer.',
  'docs/run/checklist.md: Production checklist': 'completed',
  'docs/guide/errors.md: Errors and bad input':
    'maxSteps must be a positive integer, not 0.\ngenerate() of "poet" has failed\nMODEL_UNREACHABLE',
}

test('all code is run', () => {
  expect(blocks.map(({ place }) => place).toSorted()).toEqual(Object.keys(printed).toSorted())
  const fences = pages.flatMap((page) => read(page).match(/^```ts$/gm) ?? [])
  expect(blocks).toHaveLength(fences.length)
})

test('the README shows the output of its quickstart', () => {
  const [, shown] = /^```text\n([^\0]*?)\n```/m.exec(read('README.md')) ?? []
  expect(shown).toBe(printed['README.md: Quickstart'])
})

test('the code compiles in a strict project', () => {
  const config = join(directory, 'tsconfig.json')
  const compilerOptions = { noUnusedLocals: true, noUnusedParameters: true }
  writeFileSync(
    config,
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['*.ts'] }),
  )
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout, stderr } = spawnSync(node, [tsc, '-p', config], { encoding: 'utf8' })
  expect(stdout + stderr).toBe('')
})

/** Spaces at the ends of lines are not on a page. */
describe('all code runs', () => {
  let programs: readonly Printed[]

  beforeAll(async () => {
    programs = await printedBy(directory, {
      OPENAI_API_KEY: 'test-key-of-the-readme',
      OPENAI_BASE_URL: server.baseURL,
      RESTATE_LOGGING: 'ERROR', // its SDK warns of requests that are not signed
    })
  })

  test.each(Object.entries(printed))('%s', (place, expected) => {
    const { stdout, stderr } = programs.find(({ file }) => file === fileOf(place)) ?? {}
    expect(stderr).toBe('')
    expect(stdout?.replaceAll(/ +$/gm, '')).toContain(expected)
    if (shown.has(place)) expect(stdout?.replaceAll(/ +$/gm, '').trimEnd()).toBe(shown.get(place))
  })
})

/** The samples that call no model of a server, each with the reason. All others name the key that is missing. */
const needNoKey: Readonly<Record<string, string>> = {
  'docs/concepts/actors.md: The idea in a program': 'its models are scripted',
  'docs/concepts/charts.md: The idea in a program': 'its model is scripted',
  'docs/concepts/journal.md: The idea in a program': 'its model is scripted',
  'docs/concepts/effects.md: The idea in a program': 'its model is scripted',
  'docs/concepts/holds.md: The idea in a program': 'its model is scripted',
  'docs/concepts/forks.md: The idea in a program': 'its model is scripted',
  'docs/concepts/drift.md: The idea in a program': 'its model is scripted',
  'docs/learn/agent.md: 1. An agent': 'its model is scripted',
  'docs/learn/supervisor.md: 2. A supervisor': 'its models are scripted',
  'docs/learn/approval.md: 3. An approval that survives a restart': 'its model is scripted',
  'docs/learn/fork.md: 4. What if it had failed?': 'its model is scripted',
  'docs/learn/orders.md: 5. Every order, tested': 'it explores',
  'docs/run/story.md: Recording': 'its model is scripted',
  'README.md: Every order, tested': 'it explores',
  'docs/guide/a2a.md: Push notifications': 'no run begins',
  'docs/guide/ai-sdk.md: Agents as models': 'the AI SDK is given a model of the sample',
  'docs/guide/schedules.md: Work that wakes up': 'no run begins',
  'docs/guide/compaction.md: Clear before you summarise': 'no run begins',
  'docs/guide/drawings.md: Drawings': 'its models are scripted',
  'docs/guide/errors.md: Errors and bad input': 'its server is nowhere, and it prints the code of that',
  'docs/guide/extending.md: Writing your own adapter': 'its agent is a chart',
  'docs/guide/extending.md: A wire': 'its clients are told of the run',
  'docs/guide/files.md: Text of messages': 'no run begins',
  'docs/guide/mcp.md: Foreign pages': 'a request is refused before a run',
  'docs/guide/mcp.md: Clients of 2025': 'a request is refused before a run',
  'docs/guide/models.md: Models': 'it calls the model of the sample alone',
  'docs/guide/models.md: The transport': 'no run begins',
  'docs/guide/models.md: Sources': 'its model is of the sample',
  'docs/guide/models.md: What a provider wants back': 'its model is of the sample',
  'docs/guide/models.md: Rate limits': 'no run begins',
  'docs/guide/models.md: Models in a row': 'no run begins',
  'docs/guide/processors.md: Processors': 'its prompt is refused before the model',
  'docs/guide/retries-and-cancelling.md: Retries, timeouts, cancelling':
    'the run is cancelled before the model',
  'docs/guide/tool-search.md: How tools are found': 'no run begins',
  'docs/guide/tools.md: Schemas': 'no run begins',
  'docs/guide/views.md: Texts that people decide by': 'no run begins',
  'docs/guide/views.md: In React': 'it renders the page before an effect',
  'docs/run/backups.md: Postgres': 'no run begins',
  'docs/run/embedding-in-xstate.md: React': 'it renders the page before an effect',
  'docs/run/inspector.md: Who may look': 'no run begins',
  'docs/run/otel.md: Gauges': 'no run begins',
  'docs/run/request-context.md: Request context': 'its model is scripted',
  'docs/run/trail.md: Charts': 'it reads a chart',
  'docs/test/conversations.md: Evaluating conversations': 'its models are scripted',
  'docs/test/conversations.md: Two versions side by side': 'its models are scripted',
  'docs/test/cover-machine.md: Testing an app with agents': 'it covers a chart',
  'docs/test/explore.md: Exploring agents': 'it explores',
  'docs/test/explore.md: Paths as tests': 'it explores',
  'docs/test/explore.md: Machines': 'it explores',
  'docs/test/golden-graphs.md: Golden graphs': 'it reads a chart',
  'docs/test/lint.md: Linting agents': 'it lints',
  'docs/test/machines.md: Machines under plain XState': 'its outcomes are of the sample',
  'docs/test/machines.md: Paths by @xstate/graph': 'its outcomes are of the sample',
  'docs/test/model-contract.md: The contract of models': 'its model is of the sample',
  'docs/test/paths.md: Paths of a machine': 'it reads a chart',
  'docs/test/scripted-model.md: Testing your agents': 'its model is scripted',
  'docs/test/store-contract.md: The contract of stores': 'no run begins',
  'docs/test/virtual-time.md: Virtual time': 'its model is scripted',
}

test('no sample is said to need no key that is not there', () => {
  expect(Object.keys(needNoKey).filter((place) => !Object.hasOwn(printed, place))).toEqual([])
})

describe('without a key', () => {
  let programs: readonly Printed[]

  beforeAll(async () => {
    const keyless = join(directory, 'keyless')
    mkdirSync(keyless)
    programs = await printedBy(keyless, { MAY_THROW: 'yes', RESTATE_LOGGING: 'ERROR' })
  })

  test.each(Object.keys(printed))('%s', (place) => {
    const { stdout = '', stderr = '' } = programs.find(({ file }) => file === fileOf(place)) ?? {}
    expect(stderr).not.toContain('has not ended within')
    if (Object.hasOwn(needNoKey, place)) expect(stdout.replaceAll(/ +$/gm, '')).toContain(printed[place])
    else expect(stdout + stderr).toMatch(/OPENAI_API_KEY|MISSING_API_KEY/)
  })
})

/** What the samples print, run in a folder, where they make their files. */
async function printedBy(cwd: string, more: NodeJS.ProcessEnv): Promise<readonly Printed[]> {
  const { stdout, stderr } = await promisify(execFile)(
    node,
    [runner, ...blocks.map(({ place }) => fileOf(place))],
    {
      cwd,
      maxBuffer: 2 ** 24,
      timeout: 240_000,
      env: {
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        RESTATE_INGRESS: restate.ingress,
        RESTATE_ADMIN: restate.admin,
        ...more,
      },
    },
  )
  expect(stderr).toBe('')
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Printed)
}

function fileOf(place: string): string {
  return join(directory, `${place.replaceAll(/\W+/g, '-')}.ts`)
}
