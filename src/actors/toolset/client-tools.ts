/**
 * Client tools: tools of the page that starts a run. The model is offered them for that run; a call of one is a suspension
 * with the arguments as its payload, and the data of the answer is its result. They are JSON, which the journal keeps.
 */
import { ConfigurationError } from '../../errors.ts'
import { createTool } from '../create-tool.ts'
import { foreignSchema } from '../schemas/json-schema.ts'
import type { Schema } from '../schemas/schema.ts'
import { assertId } from '../strict/ids.ts'
import { anObject, optional, required, wrong, type Fields, type Reader } from '../strict/read-options.ts'
import type { Tool } from '../tool.ts'
import { deepFreeze } from '../values/frozen.ts'
import { isRecord, type JsonValue } from '../values/json.ts'
import { copyAsJson } from '../values/to-json.ts'

/** A tool of a client, such as a page: the client performs its calls. */
export interface ClientTool {
  /** A letter, then at most 54 letters, digits, "_" or "-"; no other tool of the agent has it. */
  readonly name: string
  /** Tells the model what the tool does and when to use it; at most 4 096 characters. Default: none. */
  readonly description?: string
  /**
   * The JSON Schema of the arguments, an object; at most 32 768 characters. Its patterns are shown to the model and never run.
   * Default: any object.
   */
  readonly parameters?: Readonly<Record<string, JsonValue>>
}

/** The most tools of a client that a run takes. */
const mostClientTools = 64

const mostCharacters = { description: 4_096, parameters: 32_768 } as const
const deepest = 32

const aToolName: Reader = (given, where) => {
  assertId(given, where)
  return given
}

const aDescription: Reader = (given, where) => {
  const most = mostCharacters.description
  if (typeof given === 'string' && given.length <= most) return given
  throw new ConfigurationError(`${where}: expected a text of at most ${most} characters.`)
}

const someParameters: Reader = (given, where) => {
  if (!isRecord(given) || isDeeper(given, deepest)) {
    throw new ConfigurationError(`${where}: expected a JSON Schema, an object of at most ${deepest} levels.`)
  }
  const copy = copyAsJson(given, 'parameters')
  if (!copy.ok) throw new ConfigurationError(`${where}: expected JSON, but ${copy.problem}.`)
  const most = mostCharacters.parameters
  if (JSON.stringify(copy.value).length > most) {
    throw new ConfigurationError(`${where}: expected at most ${most} characters of JSON.`)
  }
  const { type = 'object' } = given
  if (type !== 'object') throw wrong(type, `${where}.type`, '"object"')
  return copy.value
}

const clientToolFields: Fields<ClientTool> = {
  name: required(aToolName),
  description: optional(aDescription),
  parameters: optional(someParameters),
}

const aClientTool = /* @__PURE__ */ anObject<ClientTool>(clientToolFields, { word: 'field' })

/** Returns a frozen copy. Throws a `ConfigurationError` for a tool that is malformed, too large, or there twice. */
export const readClientTools: Reader<readonly ClientTool[]> = (given, where) => {
  if (!Array.isArray(given)) throw wrong(given, where, 'a list of tools')
  if (given.length > mostClientTools) {
    throw new ConfigurationError(`${where}: expected at most ${mostClientTools} tools.`)
  }
  const tools = given.map((tool, index) => aClientTool(tool, `${where}[${index}]`))
  const twice = tools.find(({ name }, index) => tools.findIndex((other) => other.name === name) !== index)
  if (twice !== undefined) throw new ConfigurationError(`${where}: there are two tools "${twice.name}".`)
  return deepFreeze(tools)
}

function isDeeper(given: unknown, levels: number): boolean {
  if (typeof given !== 'object' || given === null) return false
  return levels === 0 || Object.values(given).some((part) => isDeeper(part, levels - 1))
}

/** The tools as an agent has them, by their names. */
export function toolsOfClient(tools: readonly ClientTool[]): Readonly<Record<string, Tool>> {
  return Object.fromEntries(tools.map((tool) => [tool.name, toolOf(tool)]))
}

function toolOf({ name, description = '', parameters = {} }: ClientTool): Tool {
  const tool = createTool({
    id: name,
    description: description.trim() === '' ? `The tool "${name}" of the client.` : description,
    inputSchema: schemaOf({ ...parameters, type: 'object' }),
    groups: ['*'],
    execute(args, context) {
      const answer = context.answers.at(-1)
      return answer === undefined ? context.suspend(args) : answer.data
    },
  })
  return { ...tool, isClient: true }
}

/** Where the schema has a keyword that cannot be checked here, any object is accepted: the client checks it. */
function schemaOf(parameters: Readonly<Record<string, JsonValue>>): Schema {
  try {
    return foreignSchema(parameters)
  } catch (error) {
    if (error instanceof ConfigurationError) return unchecked(parameters)
    throw error
  }
}

function unchecked(parameters: object): Schema {
  return {
    '~standard': {
      version: 1,
      vendor: 'troupe',
      validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: 'expected an object' }] }),
      jsonSchema: { input: () => ({ ...parameters }) },
    },
  }
}
