/** `agentCard`: an agent as other agents find it. */
import { type AgentDefinition, ConfigurationError } from '../../index.ts'
import {
  type Fields,
  aBoolean,
  aName,
  aText,
  anObject,
  anything,
  defaultsOf,
  is,
  listOf,
  optional,
  readOptions,
  required,
  withDefault,
} from '../../kit/index.ts'
import type { AgentCard, AgentSkill } from '@a2a-js/sdk'

/** One way to reach the agent. */
interface Endpoint {
  readonly url: string
  /** `JSONRPC`, `HTTP+JSON` or `GRPC`. */
  readonly binding: string
}

/** The options of `agentCard`. */
export interface AgentCardOptions {
  /** The addresses of the agent, the preferred one first, each with its binding: `JSONRPC`, `HTTP+JSON` or `GRPC`. */
  readonly endpoints: readonly { readonly url: string; readonly binding: string }[]
  /** The version in the card. Default: the version of the agent, or `1`. */
  readonly version?: string
  /** Keywords of the one skill of the card. Default: none. */
  readonly tags?: readonly string[]
  /** Questions that the agent answers well. Default: none. */
  readonly examples?: readonly string[]
  /** Media types of the messages that it takes. Default: `text/plain`. */
  readonly inputModes?: readonly string[]
  /** Media types of its answers. Default: `text/plain`. */
  readonly outputModes?: readonly string[]
  /** Whether the server streams. Default: `true`. */
  readonly streaming?: boolean
  /** Fields of the card that stand beside these, such as `provider` and `securitySchemes`. Default: none. */
  readonly more?: Partial<AgentCard>
}

/** The version of the protocol that the cards name. */
const protocolVersion = '1.0'

const endpointFields: Fields<Endpoint> = { url: required(aName), binding: required(aName) }

const someEndpoints = is(
  'a list of at least one endpoint',
  (given) => Array.isArray(given) && given.length > 0,
)

const readEndpoints = listOf(anObject(endpointFields, { expected: 'an endpoint', word: 'field' }), 'a list')

const texts = listOf(aText, 'a list of texts')

const fields = {
  endpoints: required((given, where) => readEndpoints(someEndpoints(given, where), where)),
  version: optional(aName),
  tags: withDefault(texts, []),
  examples: withDefault(texts, []),
  inputModes: withDefault(texts, ['text/plain']),
  outputModes: withDefault(texts, ['text/plain']),
  streaming: withDefault(aBoolean, true),
  more: withDefault(anything, {}),
} satisfies Fields<AgentCardOptions>

/**
 * Makes the card by which other agents find an agent: its name is the id, and its one skill has the description. Throws a
 * `ConfigurationError` for a wrong option, and for an agent without a description.
 */
export function agentCard(agent: AgentDefinition, options: AgentCardOptions): AgentCard {
  const read = { ...defaultsOf(fields), ...readOptions<AgentCardOptions>(options, 'agentCard', fields) }
  const { id, description } = agent
  if (description === undefined || description === '')
    throw new ConfigurationError(`agentCard: "${id}" has no description.`)
  const { endpoints, version = agent.version ?? '1', inputModes, outputModes, streaming, more } = read
  const skill: AgentSkill = {
    id,
    name: id,
    description,
    tags: [...read.tags],
    examples: [...read.examples],
    inputModes: [],
    outputModes: [],
    securityRequirements: [],
  }
  return {
    name: id,
    description,
    version,
    provider: undefined,
    supportedInterfaces: endpoints.map(({ url, binding }) => ({
      url,
      protocolBinding: binding,
      tenant: '',
      protocolVersion,
    })),
    capabilities: { streaming, pushNotifications: false, extensions: [], extendedAgentCard: false },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: [...inputModes],
    defaultOutputModes: [...outputModes],
    skills: [skill],
    signatures: [],
    ...more,
  }
}
