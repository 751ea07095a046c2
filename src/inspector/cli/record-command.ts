/** `troupe record`: writes a run of a store as a story. */
import { ConfigurationError } from '../../index.ts'
import { toErrorData } from '../../kit/index.ts'
import { writeFile } from 'node:fs/promises'
import { readArguments } from './arguments.ts'
import { CommandSources } from './command-sources.ts'
import type { Sanitize } from '../files/content.ts'
import { byRecord } from '../story/by-record.ts'
import { recordStory } from '../story/record-story.ts'

export const recordHelp = `  troupe record <source> <run> [--output <file>] [--agents <module>] [--sealed <module>] [--sanitize <module>]

  <run>                    the id of the run
  --output <file>          the story to write; default: <run>.story. "-" prints it
  --agents <module>        as of inspect. Without it the run is told by what its journal has on record of its agents
  --sanitize <module>      a module that exports the function "sanitize": each part of the run passes it
`

const options = {
  agents: { type: 'string', multiple: true, default: [] as string[] },
  sealed: { type: 'string' },
  sanitize: { type: 'string' },
  output: { type: 'string' },
} as const

/** `print`: to the standard output. Rejects with a `TroupeError`. */
export async function recordRunOf(args: readonly string[], print: (text: string) => void): Promise<void> {
  const sources = new CommandSources('record')
  const { values, positionals } = parsed(args)
  const [source, runId, ...others] = positionals
  if (source === undefined || runId === undefined || others.length > 0)
    throw new ConfigurationError('record: name a store and a run, for example: troupe record runs.db <run>')
  const sanitize = await sanitizeOf(values.sanitize, sources)
  const service = await sources.open(
    [source],
    await sources.agents(values.agents),
    await sources.sealing(values.sealed),
  )
  try {
    const story = await recordStory(byRecord(service), runId, sanitize === undefined ? {} : { sanitize })
    if (values.output === '-') return print(story)
    const path = values.output ?? `${runId.replaceAll(/[^\w-]/g, '_').slice(0, 60)}.story`
    await writeFile(path, story).catch((cause: unknown): never => {
      throw new ConfigurationError(`record: "${path}" cannot be written: ${toErrorData(cause).message}`, {
        cause,
      })
    })
    print(`${path}: ${story.split('\n').length - 2} entries\n`)
  } finally {
    await service.close()
  }
}

function parsed(args: readonly string[]) {
  return readArguments('record', args, options)
}

async function sanitizeOf(
  module: string | undefined,
  sources: CommandSources,
): Promise<Sanitize | undefined> {
  if (module === undefined) return undefined
  const sanitize: unknown = Reflect.get(await sources.load(module, '--sanitize'), 'sanitize')
  if (typeof sanitize === 'function') return sanitize as Sanitize
  throw new ConfigurationError(`record: --sanitize: "${module}" exports no function "sanitize".`)
}
