/** Tools that a model is not offered until a search has found them: a request then holds a few of thousands. */
import { z } from 'zod'
import { ConfigurationError, TerminalError } from '../../errors.ts'
import type { ToolDescription } from '../chat-model.ts'
import { createTool } from '../create-tool.ts'
import { aFunction, aName, is, listOf, milliseconds } from '../strict/checks.ts'
import {
  defaultsOf,
  isObject,
  optional,
  readOptions,
  withDefault,
  type Fields,
} from '../strict/read-options.ts'
import type { Tool } from '../tool.ts'
import { once } from '../values/once.ts'
import { ranked } from './rank.ts'

/** A search for tools, as the user's function sees it. */
export interface ToolSearch {
  /** The words of the model. */
  readonly query: string
  /** The tools that may be found: those that are deferred, in the groups and the state that the agent has now. */
  readonly tools: readonly ToolDescription[]
  /** The most names that count. */
  readonly limit: number
  /** Fires when the call is let go of, or takes too long. */
  readonly signal: AbortSignal
}

/** The options of `deferTools`. */
export interface DeferOptions<Name extends string = 'find-tools'> {
  /**
   * Finds tools by a way of your own, such as embeddings: answers with their names, the best first. Names that are not
   * among `tools` count nothing. Default: by the words of name, description and parameters.
   */
  readonly search?: (search: ToolSearch) => readonly string[] | Promise<readonly string[]>
  /** The most tools that one search finds, at most 20. Default: 5. */
  readonly limit?: number
  /** The name of the search tool, as the model sees it. Default: `find-tools`. */
  readonly name?: Name
  /** Tools among them that are offered from the beginning, by their names. Default: none. */
  readonly always?: readonly string[]
  /** Milliseconds that a search may take. Default: 60000. */
  readonly timeout?: number
}

/** The result of a search. */
export interface FoundTools {
  /** The names of the tools that are offered from the next call of the model on. */
  readonly found: readonly string[]
  /** For the model, where nothing was found. */
  readonly note?: string
}

/** The tools of `deferTools`: those that were given, and the search tool. */
export type DeferredTools<Tools, Name extends string> = Tools & {
  readonly [Search in Name]: Tool<{ readonly found: string[]; readonly note?: string }>
}

const deferFields = {
  search: optional(aFunction),
  limit: withDefault(
    is(
      'an integer from 1 to 20',
      (given) => Number.isInteger(given) && Number(given) > 0 && Number(given) <= 20,
    ),
    5,
  ),
  name: withDefault(aName, 'find-tools'),
  always: withDefault(listOf(aName, 'a list of names'), [] as readonly string[]),
  timeout: withDefault(milliseconds, 60_000),
} satisfies Fields<DeferOptions>

const description =
  'Finds tools for a task. You have more tools than you see. Say in a few words what is to be done; the tools that fit are then offered to you, and you call them in your next reply.'

const inputSchema = once(() =>
  z.object({ query: z.string().min(1).describe('What is to be done, in a few words') }),
)

/**
 * Defers tools: an agent with them is offered a search tool in their place, and what a search has found from then on. What
 * was found is on record with the search, so a replay offers the same. Groups and states of tools narrow what can be
 * found. An agent is offered at most the 64 tools that were found last. Several records of deferred tools in one agent
 * share their search: each search finds among all of them. Throws a `ConfigurationError` for a wrong option, and for
 * tools without a name of their own.
 */
export function deferTools<
  const Tools extends Readonly<Record<string, Tool>>,
  const Name extends string = 'find-tools',
>(tools: Tools, options: DeferOptions<Name> = {}): DeferredTools<Tools, Name> {
  if (!isObject(tools)) throw new ConfigurationError('deferTools: the tools must be an object by name.')
  const read = readOptions<DeferOptions<string>>(options, 'deferTools', deferFields)
  const { name, always, limit, timeout, search } = { ...defaultsOf(deferFields), ...read }
  if (Object.hasOwn(tools, name)) {
    throw new ConfigurationError(
      `deferTools: a tool is named "${name}", as the search tool is. Give that one another name.`,
    )
  }
  const unknown = always.find((one) => !Object.hasOwn(tools, one))
  if (unknown !== undefined) {
    throw new ConfigurationError(`deferTools: always names "${unknown}", which is none of the tools.`)
  }
  const deferred = Object.entries(tools).map(([key, tool]): [string, Tool] => [
    key,
    always.includes(key) ? tool : { ...tool, deferred: true },
  ])
  const made = { ...Object.fromEntries(deferred), [name]: searchTool({ limit, timeout, search }) }
  return made as unknown as DeferredTools<Tools, Name>
}

interface Searching {
  readonly limit: number
  readonly timeout: number
  readonly search: DeferOptions['search']
}

function searchTool({ limit, timeout, search }: Searching): Tool {
  const tool = createTool({
    id: 'find-tools',
    description,
    inputSchema: inputSchema(),
    groups: ['*'],
    timeout,
    repeatable: true,
    execute: () => {
      throw new TerminalError('The search of deferTools works only as a tool of an agent.')
    },
  })
  return {
    ...tool,
    ...(search === undefined ? {} : { searches: true }),
    async finds({ query }, among, signal) {
      const names: unknown = await (search === undefined
        ? ranked(among, query, limit)
        : search({ query, tools: among, limit, signal }))
      return foundIn(names, among, limit)
    },
  }
}

function foundIn(names: unknown, tools: readonly ToolDescription[], limit: number): FoundTools {
  if (!Array.isArray(names) || !names.every((name): name is string => typeof name === 'string')) {
    throw new TerminalError('The search of deferTools must answer with a list of names.', {
      code: 'INVALID_HOOK_RESULT',
    })
  }
  const known = new Set(tools.map(({ name }) => name))
  const found = [...new Set(names)].filter((name) => known.has(name)).slice(0, limit)
  if (found.length > 0) return { found }
  return { found, note: 'No tool fits. Say it in other words, or go on without.' }
}
