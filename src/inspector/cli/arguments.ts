/** The arguments of a command, by `parseArgs` of Node: ids of runs may begin with "-", and an unknown option is told with the nearest. */
import { ConfigurationError } from '../../index.ts'
import { anything, optional, readOptions, toErrorData } from '../../kit/index.ts'
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

/** No argument of a process has this character. */
const mark = '\0'

/**
 * The values and the positionals of a command. `known`: its options, where `options` has those of others too. Throws a
 * `ConfigurationError` for an option that does not exist.
 */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  command: string,
  args: readonly string[],
  options: Options,
  known: readonly string[] = Object.keys(options),
) {
  const end = args.indexOf('--')
  const read = end < 0 ? args : args.slice(0, end)
  const given = read.flatMap((arg) => /^--([^=]+)/.exec(arg)?.[1] ?? [])
  const fields = Object.fromEntries(known.map((name) => [name, optional(anything)]))
  readOptions(Object.fromEntries(given.map((name) => [name, true])), command, fields)
  try {
    // Options have two dashes, but for "-h": all else with one is an id, or a value.
    const marked = read.map((arg) => (/^-[^-]/.test(arg) && arg !== '-h' ? `${mark}${arg}` : arg))
    const { values, positionals } = parseArgs({
      args: [...marked, ...args.slice(read.length)],
      options,
      allowPositionals: true,
    })
    return { values: unmarked(values), positionals: unmarked(positionals) }
  } catch (error) {
    throw new ConfigurationError(`${command}: ${toErrorData(error).message}`)
  }
}

function unmarked<Value>(value: Value): Value {
  const plain = (part: unknown): unknown => {
    if (typeof part === 'string') return part.startsWith(mark) ? part.slice(mark.length) : part
    if (Array.isArray(part)) return part.map(plain)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([name, own]) => [name, plain(own)]))
  }
  return plain(value) as Value
}
