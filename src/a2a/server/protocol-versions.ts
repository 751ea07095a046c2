/** The versions of the protocol that requests speak: 1.0, and 0.3 beside it. Each has methods, answers and errors of its own. */
import { A2A_PROTOCOL_VERSION, HTTP_EXTENSION_HEADER, type AgentCard } from '@a2a-js/sdk'
import {
  A2A_LEGACY_PROTOCOL_VERSION,
  LEGACY_HTTP_EXTENSION_HEADER,
  isV1JsonRpcMethod,
} from '@a2a-js/sdk/compat/v0_3'
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { ExtensionSupportRequiredError } from '@a2a-js/sdk/errors'
import {
  JsonRpcTransportHandler,
  validateVersion,
  type A2ARequestHandler,
  type ServerCallContext,
} from '@a2a-js/sdk/server'
import { isRecord } from '../../kit/index.ts'

type Request = Record<string, unknown>

/** An answer of JSON-RPC, or a stream of them. */
type Answer = object | AsyncGenerator<object, void, undefined>

/** A version of the protocol, as requests are answered in it. */
export interface Protocol {
  /** `1.0` or `0.3`, or another one that the request names. */
  readonly version: string
  /** The header by which a client names the extensions that it knows. */
  readonly extensionHeader: string
  /** Throws a `VersionNotSupportedError`, and an `ExtensionSupportRequiredError`. */
  assertServes(card: AgentCard, context: ServerCallContext): void
  handle(request: Request, context: ServerCallContext): Promise<Answer>
  errorOf(error: unknown): object
  /** Whether clients read a stream, and not an answer, where the request of a stream is refused. */
  readonly streamsRefusals: boolean
}

/** Finds the protocol of requests to a handler. */
export class Protocols {
  readonly #present: JsonRpcTransportHandler
  readonly #legacy: LegacyJsonRpcTransportHandler

  constructor(handler: A2ARequestHandler) {
    this.#present = new JsonRpcTransportHandler(handler)
    this.#legacy = new LegacyJsonRpcTransportHandler(handler)
  }

  /**
   * `named`: the version that the request names, where it names one. Without one it is 0.3, but for the methods that only 1.0
   * has: no method has the same name in both.
   */
  of(named: string | undefined, method: unknown): Protocol {
    const version = named ?? (isV1JsonRpcMethod(method) ? A2A_PROTOCOL_VERSION : A2A_LEGACY_PROTOCOL_VERSION)
    return version === A2A_LEGACY_PROTOCOL_VERSION ? this.#former(version) : this.#today(version)
  }

  #today(version: string): Protocol {
    return {
      version,
      extensionHeader: HTTP_EXTENSION_HEADER,
      assertServes: (card, context) => assertServes(version, card, context),
      handle: (request, context) => this.#present.handle(request, context),
      errorOf: (error) => JsonRpcTransportHandler.mapToJSONRPCError(error),
      streamsRefusals: false,
    }
  }

  #former(version: string): Protocol {
    return {
      version,
      extensionHeader: LEGACY_HTTP_EXTENSION_HEADER,
      assertServes: (card, context) => assertServes(version, card, context),
      handle: async (request, context) => {
        const answer = await this.#legacy.handle(withOneScheme(request), context)
        if (!(Symbol.asyncIterator in answer)) return answer
        return request['method'] === 'message/stream' ? markingLast(answer) : answer
      },
      errorOf: (error) => LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error),
      streamsRefusals: true,
    }
  }
}

function assertServes(
  version: string,
  card: AgentCard,
  { requestedExtensions = [] }: ServerCallContext,
): void {
  validateVersion(version, card, 'JSONRPC')
  const needed = card.capabilities?.extensions.find(
    ({ required, uri }) => required && !requestedExtensions.includes(uri),
  )
  if (needed !== undefined)
    throw new ExtensionSupportRequiredError(`The agent needs a client with the extension ${needed.uri}.`)
}

/**
 * Clients of 0.3 read to the event that is marked as the last one. A stream of a message ends with a question too, which the
 * translation of the SDK does not mark.
 */
async function* markingLast(
  answers: AsyncGenerator<{ readonly result?: unknown }, void, undefined>,
): AsyncGenerator<object, void, undefined> {
  for await (const answer of answers) {
    const { result } = answer
    yield isQuestion(result) ? { ...answer, result: { ...result, final: true } } : answer
  }
}

function isQuestion(result: unknown): result is object {
  if (!isRecord(result) || result['kind'] !== 'status-update') return false
  const { status } = result
  return isRecord(status) && (status['state'] === 'input-required' || status['state'] === 'auth-required')
}

/**
 * A push notification config of 0.3 may list several schemes for its credentials, and that of 1.0 has one: the one that tokens
 * are for, or else the first.
 */
function withOneScheme(request: Request): Request {
  const { params } = request
  if (!isRecord(params)) return request
  const { configuration, pushNotificationConfig } = params
  return {
    ...request,
    params: {
      ...params,
      ...(isRecord(pushNotificationConfig)
        ? { pushNotificationConfig: oneScheme(pushNotificationConfig) }
        : {}),
      ...(isRecord(configuration) && isRecord(configuration['pushNotificationConfig'])
        ? {
            configuration: {
              ...configuration,
              pushNotificationConfig: oneScheme(configuration['pushNotificationConfig']),
            },
          }
        : {}),
    },
  }
}

function oneScheme(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { authentication } = config
  if (!isRecord(authentication)) return config
  const { schemes } = authentication
  const list: readonly unknown[] = Array.isArray(schemes) ? schemes : []
  const bearer = list.find((scheme) => typeof scheme === 'string' && scheme.toLowerCase() === 'bearer')
  return { ...config, authentication: { ...authentication, schemes: [bearer ?? list[0] ?? ''] } }
}
