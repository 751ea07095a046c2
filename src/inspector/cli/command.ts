/** The arguments of `troupe inspect`. */
import { ConfigurationError } from '../../index.ts'
import { readArguments } from './arguments.ts'
import { evaluateHelp } from './evaluate-command.ts'
import { exampleHelp } from './example-command.ts'
import { recordHelp } from './record-command.ts'
import { terminalCommands, terminalHelp } from './terminal-command.ts'

export interface InspectCommand {
  /** A SQLite file, the address of a Postgres database, or recordings. */
  readonly sources: readonly string[]
  /** Modules that export agents. */
  readonly agents: readonly string[]
  /** A module that exports the options of `sealedStore`. */
  readonly sealed?: string
  readonly port: number
  readonly allowInProduction: boolean
}

export const help = `Shows the runs of a store in the terminal, or on a page of this machine.

${terminalHelp}
On a page, with the charts of agents and every entry, also for recorded runs:

  troupe inspect <source> [--agents <module>] [--sealed <module>] [--port <number>]

  <source>                 a SQLite file (runs.db), the address of a Postgres database (postgres://…),
                           or recordings, as recordRun and the page write them (run.jsonl …)
  --agents <module>        a module that exports the agents of the runs: each export that is an agent, or a list
                           of agents. Without it journals are shown, and not what their entries led to. May be
                           given several times
  --sealed <module>        a module that exports the options of sealedStore as "sealing": opens what the store has sealed
  --port <number>          the port of the page; default: any free one
  --allow-in-production    serves the page also where NODE_ENV is "production"
  --help                   this text

As a file that <troupe-run src="…"> plays on any page without a server:

${recordHelp}
${exampleHelp}
As a check of a pipeline:

${evaluateHelp}
No run of a store is taken or continued. Answers are queued in the store, for the process that has the run.
`

const options = {
  agents: { type: 'string', multiple: true, default: [] as string[] },
  sealed: { type: 'string' },
  port: { type: 'string', default: '0' },
  'allow-in-production': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Returns `help` where that is asked for. Throws a `ConfigurationError` for wrong arguments. */
export function readCommand(args: readonly string[]): InspectCommand | 'help' {
  const { values, positionals } = parsed(args)
  const [command, ...sources] = positionals
  if (values.help || command === undefined) return 'help'
  if (command !== 'inspect')
    throw new ConfigurationError(
      `There is no command "${command}". Known: inspect, record, evaluate, example, ${terminalCommands.join(', ')}.`,
    )
  if (sources.length === 0) {
    throw new ConfigurationError('inspect: name a store or a recording, for example: troupe inspect runs.db')
  }
  return {
    sources,
    agents: values.agents,
    ...(values.sealed === undefined ? {} : { sealed: values.sealed }),
    port: portOf(values.port),
    allowInProduction: values['allow-in-production'],
  }
}

function parsed(args: readonly string[]) {
  return readArguments('troupe', args, options)
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new ConfigurationError(`inspect: --port must be a number from 0 to 65535, not "${text}".`)
}
