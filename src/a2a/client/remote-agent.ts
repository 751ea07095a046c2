/** `remoteAgent`: an agent that another system serves over Agent2Agent, as an agent of a troupe. */
import {
  type AgentDefinition,
  type ChatModel,
  ConfigurationError,
  type Schema,
  TerminalError,
} from '../../index.ts'
import { type Expected, askUser, defaultsOf, isRecord, readOptions, show } from '../../kit/index.ts'
import {
  type AnyContext,
  type DefinitionFor,
  type NoShape,
  defineAgent,
  remoteMachine,
} from '../../kit/host.ts'
import type { AgentCard } from '@a2a-js/sdk'
import { ownFields, remoteFields, type RemoteAgentOptions, type RemoteRunOptions } from './options.ts'
import { TaskClient, type TaskClientOptions } from './task-client.ts'

/**
 * Defines an agent that another system serves over Agent2Agent: it stands wherever an agent stands, handoffs excepted. Its
 * task becomes one task of the server, also over retries and crashes; a question of the server suspends the run, and the
 * answer of a person goes back; a cancel reaches the server. Throws a `ConfigurationError` for a wrong option.
 * @experimental
 */
export function remoteAgent<Given extends Schema = NoShape>(
  options: RemoteAgentOptions<Given>,
): DefinitionFor<RemoteRunOptions, Given, AnyContext, string>
export function remoteAgent(options: RemoteAgentOptions): AgentDefinition {
  const where = `remoteAgent(${show((options as Partial<RemoteAgentOptions> | undefined)?.id)})`
  const read = {
    ...defaultsOf(ownFields),
    ...(readOptions<object>(options, where, remoteFields) as RemoteAgentOptions),
  }
  const { url, card, fetch: given, requestTimeout, pollInterval, maxReplyBytes, headers, ...rest } = read
  const { description = card?.description, ...config } = rest
  if (description === undefined || description === '')
    throw new ConfigurationError(`${where}: description is required, for there is no card that has one.`)
  const { place, origins } = placeOf(url, card, where)
  const remote = new TaskClient({
    agent: config.id,
    place,
    origins,
    fetch: given ?? ((...args) => fetch(...args)),
    headers: headersOf(headers),
    requestTimeout,
    pollInterval,
    maxReplyBytes,
  })
  const model = noModel(config.id)
  return defineAgent({ pattern: 'remote', chart: remoteMachine, remote }, where, {
    ...config,
    description,
    model,
  })
}

const someTexts: Expected<Readonly<Record<string, string>>> = {
  words: 'an object of texts',
  fits: (answer): answer is Readonly<Record<string, string>> =>
    isRecord(answer) && Object.values(answer).every((value) => typeof value === 'string'),
}

function headersOf(given: RemoteAgentOptions['headers'] = {}): TaskClientOptions['headers'] {
  return async () =>
    typeof given === 'function' ? askUser('headers of remoteAgent', given, someTexts) : given
}

function placeOf(
  url: string | undefined,
  card: AgentCard | undefined,
  where: string,
): Pick<TaskClientOptions, 'place' | 'origins'> {
  if ((url === undefined) === (card === undefined))
    throw new ConfigurationError(`${where}: expected either url or card.`)
  if (url !== undefined) return { place: { url }, origins: new Set([new URL(url).origin]) }
  if (card === undefined) throw new ConfigurationError(`${where}: expected either url or card.`)
  const urls = (card.supportedInterfaces ?? []).map((one) => URL.parse(one.url)?.origin)
  const origins = new Set(urls.filter((origin) => origin !== undefined))
  if (origins.size === 0)
    throw new ConfigurationError(`${where}: card has no interface with an address of the web.`)
  return { place: { card }, origins }
}

/** Stands in the place of a model: the server of the agent calls its own. */
function noModel(id: string): ChatModel {
  return {
    provider: 'a2a',
    modelId: id,
    generate: async () => {
      throw new TerminalError(`The agent "${id}" has no model here.`, { code: 'MODEL_FAILED' })
    },
  }
}
