/** The arguments of the commands that answer in the terminal: `runs`, `show`, `why`, `follow`, `answer`, `fork` and `schedules`. */
import {
  ConfigurationError,
  type JsonValue,
  type Outcome,
  type RunOrder,
  type RunSignal,
} from '../../index.ts'
import { readArguments } from './arguments.ts'

export const terminalCommands = ['runs', 'show', 'why', 'follow', 'answer', 'fork', 'schedules'] as const
export type TerminalName = (typeof terminalCommands)[number]

/** The options that every command takes. */
export interface CommonOptions {
  readonly source: string
  readonly agents: readonly string[]
  readonly sealed?: string
  readonly json: boolean
  /** Columns; absent: those of the terminal. */
  readonly width?: number
}

export type TerminalCommand = CommonOptions &
  (
    | {
        readonly name: 'runs'
        readonly limit: number
        readonly status?: 'running' | 'suspended' | 'settled' | 'unfinished'
        readonly agent?: string
        readonly resource?: string
        readonly outcome?: string
        readonly code?: string
        readonly text?: string
        /** Milliseconds before now: of the last entry, and of the beginning. */
        readonly since?: number
        readonly started?: number
        readonly order?: RunOrder
      }
    | {
        readonly name: 'show' | 'why'
        readonly runId: string
        /** The number of entries to look at; absent: all. */
        readonly at?: number
      }
    | { readonly name: 'follow'; readonly runId: string }
    | {
        readonly name: 'answer'
        readonly runId: string
        /** Absent: the only open question of the run. */
        readonly question?: string
        readonly by: string
        readonly decision: Decision
        readonly note?: string
      }
    | {
        readonly name: 'fork'
        readonly runId: string
        /** The number of entries that are shared. */
        readonly at: number
        /** It pays and acts; else it is dry. */
        readonly acts: boolean
        /** A file with outcomes; absent: they are read from the standard input. */
        readonly replies?: string
        /** Hooks and scorers are asked for too. */
        readonly asksFunctions: boolean
      }
    | {
        readonly name: 'schedules'
        readonly limit: number
        /** Absent: all of them. */
        readonly key?: string
        readonly change?: 'pause' | 'resume' | 'cancel'
        readonly agent?: string
        readonly resource?: string
      }
  )

/** What is answered. */
export type Decision =
  | { readonly type: 'approve'; readonly args?: JsonValue }
  | { readonly type: 'deny'; readonly reason?: string }
  | { readonly type: 'resume'; readonly data: JsonValue }

export const terminalHelp = `  troupe runs <store> [--failed] [--limit 20] [--order newest] [--status suspended] [--outcome failed] [--code <code>]
                      [--text <words>] [--agent <id>] [--resource <id>] [--since 1h] [--started 1h]
                           runs of the index; --failed: those that have failed in the last hour, or --since;
                           since: of the last entry, started: of the beginning, such as 30m, 1h, 2d;
                           order: newest, oldest, changed, costliest, longest; text: words of the task, or the id
  troupe show <store> <run> [--at <entries>]
                           the summary of a run: its end, what went wrong, what was changed, who spent what
  troupe why <store> <run> [--at <entries>]
                           how it ended, and what went wrong
  troupe follow <store> <run>
                           each entry as it comes, until the run ends
  troupe answer <store> <run> [<question>] --by <name> (--approve [--args <json>] | --deny [--reason <text>] |
                           --data <json>)
                           queues an answer for the process that has the run; [--note <text>]
  troupe fork <store> <run> --at <entries> --agents <module> [--replies <file>] [--ask-functions]
                           a dry fork: asks for the outcome of each model call, tool, workflow, request to another
                           system and memory write, pays nothing and does nothing; --ask-functions: of hooks and
                           scorers too
  troupe fork <store> <run> --at <entries> --agents <module> --act
                           a fork in the store that pays its models and lets its tools act
  troupe schedules <store> [<key> [--pause | --resume | --cancel]] [--agent <id>] [--resource <id>] [--limit 20]
                           the schedules; one of them is paused, goes on, or is removed

  <store>                  a SQLite file (runs.db), or the address of a Postgres database (postgres://…)
  --agents <module>        needed for fork; else only for agents with charts of their own, and for journals of
                           earlier builds
  --sealed <module>        as for inspect
  --json                   for programs: the same data as JSON, one value; follow prints one a line
  --width <columns>        default: the width of the terminal, else 100

  Exit codes: 0 done; follow, fork: the run has completed. 1 wrong arguments, or a store that cannot be read. 2 there is no
  such run or schedule. 3 the answer was refused. 4 follow, fork: the run has ended otherwise. 5 fork: an effect was given no
  outcome, or the fork waits for an answer. 130 follow or fork was interrupted.
`

const options = {
  agents: { type: 'string', multiple: true, default: [] as string[] },
  sealed: { type: 'string' },
  json: { type: 'boolean', default: false },
  width: { type: 'string' },
  limit: { type: 'string' },
  status: { type: 'string' },
  agent: { type: 'string' },
  resource: { type: 'string' },
  outcome: { type: 'string' },
  code: { type: 'string' },
  text: { type: 'string' },
  failed: { type: 'boolean' },
  order: { type: 'string' },
  started: { type: 'string' },
  since: { type: 'string' },
  at: { type: 'string' },
  by: { type: 'string' },
  approve: { type: 'boolean' },
  deny: { type: 'boolean' },
  reason: { type: 'string' },
  data: { type: 'string' },
  args: { type: 'string' },
  note: { type: 'string' },
  act: { type: 'boolean' },
  replies: { type: 'string' },
  'ask-functions': { type: 'boolean' },
  pause: { type: 'boolean' },
  resume: { type: 'boolean' },
  cancel: { type: 'boolean' },
} as const

type Values = ReturnType<typeof parsed>['values']
type OptionName = keyof typeof options

const common: readonly OptionName[] = ['agents', 'sealed', 'json', 'width']
const own: Readonly<Record<TerminalName, readonly OptionName[]>> = {
  runs: [
    'limit',
    'status',
    'agent',
    'resource',
    'outcome',
    'code',
    'text',
    'failed',
    'order',
    'started',
    'since',
  ],
  show: ['at'],
  why: ['at'],
  follow: [],
  answer: ['by', 'approve', 'deny', 'reason', 'data', 'args', 'note'],
  fork: ['at', 'act', 'replies', 'ask-functions'],
  schedules: ['limit', 'agent', 'resource', 'pause', 'resume', 'cancel'],
}

/** Throws a `ConfigurationError` for wrong arguments. */
export function readTerminalCommand(name: TerminalName, args: readonly string[]): TerminalCommand {
  const { values, positionals } = parsed(name, args)
  const [source, runId, question, ...others] = positionals
  if (source === undefined)
    throw new ConfigurationError(`${name}: name a store, for example: troupe ${name} runs.db`)
  const shared = {
    source,
    agents: values.agents,
    ...(values.sealed === undefined ? {} : { sealed: values.sealed }),
    json: values.json,
    ...(values.width === undefined ? {} : { width: numberOf(name, 'width', values.width, 40) }),
  }
  const most = name === 'runs' ? 1 : name === 'answer' ? 3 : 2
  if (positionals.length > most)
    throw new ConfigurationError(
      `${name}: "${[runId, question, ...others][most - 1] ?? ''}" is one argument too many.`,
    )
  if (name === 'runs') return { ...shared, name, ...runsOptions(values) }
  if (name === 'schedules') return { ...shared, name, ...schedulesOptions(values, runId) }
  if (runId === undefined)
    throw new ConfigurationError(`${name}: name a run, for example: troupe ${name} ${source} <run>`)
  if (name === 'follow') return { ...shared, name, runId }
  if (name === 'fork') return { ...shared, name, runId, ...forkOptions(values) }
  if (name === 'answer') {
    const decision = decisionOf(values)
    if (values.by === undefined || values.by === '')
      throw new ConfigurationError('answer: --by names who answers, for the record.')
    return {
      ...shared,
      name,
      runId,
      ...(question === undefined ? {} : { question }),
      by: values.by,
      decision,
      ...(values.note === undefined ? {} : { note: values.note }),
    }
  }
  return {
    ...shared,
    name,
    runId,
    ...(values.at === undefined ? {} : { at: numberOf(name, 'at', values.at, 1) }),
  }
}

function runsOptions({ limit = '20', failed = false, ...given }: Values) {
  const { status, agent, resource, code, text, order, started } = given
  if (status !== undefined && !isStatus(status))
    throw new ConfigurationError(`runs: --status must be ${statuses.join(', ')}, not "${status}".`)
  if (failed && given.outcome !== undefined)
    throw new ConfigurationError('runs: give --failed or --outcome, not both.')
  const outcome = failed ? 'failed' : given.outcome
  const since = given.since ?? (failed ? '1h' : undefined)
  return {
    limit: numberOf('runs', 'limit', limit, 1),
    ...(status === undefined ? {} : { status }),
    ...(agent === undefined ? {} : { agent }),
    ...(resource === undefined ? {} : { resource }),
    ...(outcome === undefined ? {} : { outcome: outcomeOf(outcome) }),
    ...(code === undefined ? {} : { code }),
    ...(text === undefined ? {} : { text }),
    ...(order === undefined ? {} : { order: orderOf(order) }),
    ...(started === undefined ? {} : { started: spanOf('started', started) }),
    ...(since === undefined ? {} : { since: spanOf('since', since) }),
  }
}

function schedulesOptions({ limit = '20', agent, resource, ...given }: Values, key: string | undefined) {
  const changes = (['pause', 'resume', 'cancel'] as const).filter((change) => given[change] === true)
  const [change] = changes
  if (changes.length > 1)
    throw new ConfigurationError('schedules: give one of --pause, --resume and --cancel.')
  if (change !== undefined && key === undefined)
    throw new ConfigurationError(`schedules: name the schedule that --${change} is for.`)
  return {
    limit: numberOf('schedules', 'limit', limit, 1),
    ...(key === undefined ? {} : { key }),
    ...(change === undefined ? {} : { change }),
    ...(agent === undefined ? {} : { agent }),
    ...(resource === undefined ? {} : { resource }),
  }
}

function forkOptions({ at, agents, act = false, replies, 'ask-functions': asksFunctions = false }: Values) {
  if (at === undefined) throw new ConfigurationError('fork: --at says how many entries the fork shares.')
  if (agents.length === 0)
    throw new ConfigurationError('fork: --agents names the module with the agents of the run: a fork works.')
  if (act && (replies !== undefined || asksFunctions))
    throw new ConfigurationError('fork: --replies and --ask-functions are for a dry fork, without --act.')
  return {
    at: numberOf('fork', 'at', at, 1),
    acts: act,
    ...(replies === undefined ? {} : { replies }),
    asksFunctions,
  }
}

const orders: readonly RunOrder[] = ['newest', 'oldest', 'changed', 'costliest', 'longest']

function orderOf(text: string): RunOrder {
  const order = orders.find((one) => one === text)
  if (order !== undefined) return order
  throw new ConfigurationError(`runs: --order must be ${orders.join(', ')}, not "${text}".`)
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

function spanOf(option: string, text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,4})([mhd])$/.exec(text) ?? []
  if (count !== '') return Number(count) * (units[unit] ?? 0)
  throw new ConfigurationError(`runs: --${option} must be a span such as 30m, 1h or 2d, not "${text}".`)
}

/** The outcomes of runs. */
const outcomes: readonly Outcome[] = [
  'completed',
  'bailed',
  'exhausted',
  'stopped',
  'tripped',
  'failed',
  'cancelled',
]

function outcomeOf(text: string): string {
  if (outcomes.some((outcome) => outcome === text)) return text
  throw new ConfigurationError(`runs: --outcome must be ${outcomes.join(', ')}, not "${text}".`)
}

const statuses = ['running', 'suspended', 'settled', 'unfinished'] as const

function isStatus(text: string): text is (typeof statuses)[number] {
  return (statuses as readonly string[]).includes(text)
}

function decisionOf({ approve, deny, data, args, reason }: Values): Decision {
  const given = [approve === true, deny === true, data !== undefined].filter(Boolean).length
  if (given !== 1) throw new ConfigurationError('answer: give one of --approve, --deny and --data.')
  if (reason !== undefined && deny !== true)
    throw new ConfigurationError('answer: --reason belongs to --deny.')
  if (args !== undefined && approve !== true)
    throw new ConfigurationError('answer: --args belongs to --approve.')
  if (approve === true)
    return { type: 'approve', ...(args === undefined ? {} : { args: jsonOf('args', args) }) }
  if (deny === true) return { type: 'deny', ...(reason === undefined ? {} : { reason }) }
  return { type: 'resume', data: jsonOf('data', data ?? '') }
}

function jsonOf(option: string, text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    throw new ConfigurationError(
      `answer: --${option} must be JSON, not ${JSON.stringify(text.slice(0, 80))}.`,
    )
  }
}

/** The signal of an answer to a question. */
export function signalOf(
  { decision, by, note }: Extract<TerminalCommand, { readonly name: 'answer' }>,
  toolCallId: string,
): RunSignal {
  return { ...decision, toolCallId, by, ...(note === undefined ? {} : { note }) }
}

function parsed(name: TerminalName, args: readonly string[]) {
  return readArguments(name, args, options, [...common, ...own[name]])
}

function numberOf(name: string, option: string, text: string, least: number): number {
  const number = Number(text)
  if (/^\d{1,9}$/.test(text) && number >= least) return number
  throw new ConfigurationError(
    `${name}: --${option} must be a whole number of ${least} or more, not "${text}".`,
  )
}
