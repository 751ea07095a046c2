/** Parts of other libraries in the place of ours: what they are, and what they become here. */
import { isObject, show } from './read-options.ts'

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(given: unknown): Fields {
  return (isObject(given) || typeof given === 'function' ? given : {}) as Fields
}

function has(fields: Fields, ...names: readonly string[]): boolean {
  return names.every((name) => typeof fields[name] === 'function')
}

const aChatModel = 'a ChatModel ({ provider, modelId, generate })'

/** What a model must be, as it is said of this value. */
export function expectedModel(given: unknown): string {
  if (typeof given === 'string') {
    return `${aChatModel}, not a name: openai(${show(given.replace(/^openai\//, ''))})`
  }
  const fields = fieldsOf(given)
  const { specificationVersion, chat, modelId } = fields
  if (specificationVersion !== undefined && has(fields, 'doGenerate')) {
    return specificationVersion === 'v1' || specificationVersion === 'v2'
      ? `a model of a newer AI SDK: this one has the version ${show(specificationVersion)} of its specification, and aiSdk(model) of troupe/ai-sdk takes 'v3' and 'v4'`
      : 'aiSdk(model), of troupe/ai-sdk: this is a model of the AI SDK'
  }
  if (isObject(chat) && 'completions' in chat) {
    return "openai('gpt-5-mini', { client }): this is a client, which has no model"
  }
  if (has(fields, 'invoke', 'bindTools')) {
    return `${aChatModel}, and this is one of LangChain: openai('gpt-5-mini') for each server that speaks the protocol of OpenAI`
  }
  if (has(fields, 'getResponse')) {
    return `${aChatModel}, and this is one of OpenAI Agents: openai('gpt-5-mini')`
  }
  if (has(fields, 'generate') && typeof modelId !== 'string') {
    return `${aChatModel}: this one has no modelId of text`
  }
  return `${aChatModel}, for example openai('gpt-5-mini'), not ${isObject(given) ? 'an object' : show(given)}`
}

/** Says of a value in the place of a tool what it is; `undefined`: nothing that is known. */
export function foreignTool(given: unknown): string | undefined {
  const fields = fieldsOf(given)
  if ('settings' in fields && 'pattern' in fields) return 'it is an agent, and belongs in agents'
  if (typeof given === 'function') {
    return 'it is a function: createTool({ id, description, inputSchema, execute })'
  }
  if (has(fields, 'invoke') && 'lc_namespace' in fields) {
    return 'it is a tool of LangChain: createTool({ id, description, inputSchema: tool.schema, execute: (input) => tool.invoke(input) })'
  }
  if (fields['type'] === 'function' && has(fields, 'invoke')) {
    return 'it is a tool of OpenAI Agents: createTool({ id, description, inputSchema, execute })'
  }
  if (fields['type'] === 'function' && 'function' in fields) {
    return 'it is a tool as a server reads it: createTool({ id, description, inputSchema: jsonSchema(parameters), execute })'
  }
  if (fields['type'] === 'provider') {
    return 'the provider executes it: aiSdk(model, { providerTools: { … } })'
  }
  if ('inputSchema' in fields || 'parameters' in fields) {
    return 'it is a plain object, such as a tool of the AI SDK: createTool({ id, description, inputSchema, execute })'
  }
  return undefined
}

/** As `foreignTool`, of a value in the place of an agent. */
export function foreignAgent(given: unknown): string | undefined {
  if (typeof given === 'string') return 'it is a name: give the agent itself'
  const fields = fieldsOf(given)
  if (typeof given === 'function')
    return 'it is a function: a function of the run stands in the place of all agents'
  if (given instanceof Promise) return 'it is a promise: await it'
  if (has(fields, 'execute') && 'inputSchema' in fields) return 'it is a tool, and belongs in tools'
  if (has(fields, 'invoke') && has(fields, 'stream')) {
    return 'it is a graph of LangGraph: a tool may call it, by createTool'
  }
  if ('agent' in fields) return 'it has the agent in a field of it: give the agent itself'
  if ('status' in fields && 'pattern' in fields) {
    return 'it is a copy of an agent, which no run can begin with: make another by createAgent()'
  }
  if ('instructions' in fields || 'model' in fields) {
    return 'it is a plain object: createAgent({ id, description, model, … })'
  }
  return undefined
}

const aSchemaOfOurs = 'a zod schema or another Standard Schema'

/** What a schema must be, as it is said of this value. */
export function expectedSchema(given: unknown): string {
  const fields = fieldsOf(given)
  const { typeName } = fieldsOf(fields['_def'])
  if (typeof typeName === 'string' && typeName.startsWith('Zod')) {
    return `a schema of zod 4, and this is one of zod 3: update zod, or import { z } from 'zod/v4' of zod 3.25`
  }
  if ('jsonSchema' in fields && 'validate' in fields) {
    return `${aSchemaOfOurs}, and this is one of the AI SDK: jsonSchema(schema.jsonSchema)`
  }
  if (['type', 'properties', '$schema', 'anyOf', 'oneOf', '$ref', 'enum'].some((name) => name in fields)) {
    return `${aSchemaOfOurs} (a JSON Schema as jsonSchema(schema)), not ${show(given)}`
  }
  const parts = isObject(given) ? Object.values(given) : []
  if (parts.length > 0 && parts.every((part) => isObject(part) && '~standard' in part)) {
    return `${aSchemaOfOurs}, and this is a plain object of schemas: z.object({ ${Object.keys(fields).join(', ')} })`
  }
  return `${aSchemaOfOurs}, not ${show(given)}`
}
