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
import { A2A_PROTOCOL_VERSION, type AgentCard, type AgentInterface, type AgentSkill } from '@a2a-js/sdk'
import { A2A_LEGACY_PROTOCOL_VERSION } from '@a2a-js/sdk/compat/v0_3'

/** One way to reach the agent. */
interface Endpoint {
  readonly url: string
  /** `JSONRPC`, `HTTP+JSON` or `GRPC`. */
  readonly binding: string
}

/** The options of `agentCard`. */
export interface AgentCardOptions {
  /**
   * The addresses of the agent, the preferred one first, each with its binding: `JSONRPC`, `HTTP+JSON` or `GRPC`. Clients of
   * version 0.3 of the protocol find those of `JSONRPC`, beside clients of 1.0.
   */
  readonly endpoints: readonly { readonly url: string; readonly binding: string }[]
  /** The version in the card. Default: the version of the agent, or `1`. */
  readonly version?: string
  /** Keywords of the one skill of the card. Default: none. */
  readonly tags?: readonly string[]
  /** Questions that the agent answers well. Default: none. */
  readonly examples?: readonly string[]
  /**
   * Media types of the files that it takes, or `image` with a `*` and the like. A message with another file is refused, and
   * a text never. Default: `text/plain`, and any file.
   */
  readonly inputModes?: readonly string[]
  /** Media types of its answers. Default: `text/plain`. */
  readonly outputModes?: readonly string[]
  /** Whether the server streams. Default: `true`. */
  readonly streaming?: boolean
  /** Fields of the card that stand beside these, such as `provider` and `securitySchemes`. Default: none. */
  readonly more?: Partial<AgentCard>
}

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
  inputModes: withDefault(texts, ['text/plain', '*/*']),
  outputModes: withDefault(texts, ['text/plain']),
  streaming: withDefault(aBoolean, true),
  more: withDefault(anything, {}),
} satisfies Fields<AgentCardOptions>

/**
 * Makes the card by which other agents find an agent: its name is the id, and its one skill has the description. Throws a
 * `ConfigurationError` for a wrong option, and for an agent without a description.
 * @experimental
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
    supportedInterfaces: interfacesOf(endpoints),
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

function interfacesOf(endpoints: readonly Endpoint[]): AgentInterface[] {
  const present = endpoints.map(({ url, binding }) => ({
    url,
    protocolBinding: binding,
    tenant: '',
    protocolVersion: A2A_PROTOCOL_VERSION,
  }))
  return [...present, ...formerOf(present)]
}

/** `a2aFetch` serves JSON-RPC in version 0.3 too. */
function formerOf(present: readonly AgentInterface[]): AgentInterface[] {
  return present
    .filter(({ protocolBinding }) => protocolBinding === 'JSONRPC')
    .map((endpoint) => ({ ...endpoint, protocolVersion: A2A_LEGACY_PROTOCOL_VERSION }))
}
