/** The delegation of TrustGraph's pattern `supervisor`, for `createFanOut`. */
import { ConfigurationError, type DelegationCompleteContext, type DelegationOptions } from '../index.ts'
import { isObject, show } from '../kit/index.ts'

/**
 * The options of `delegation` with which a fan-out does as the specification says: a child begins without the conversation, and
 * the synthesis reads why a child has failed or was too late, in the words of its error. What is given stands over it. The words may
 * hold what a service or a tool has thrown: without these options no model reads them.
 * Throws a `ConfigurationError` for a value that is no object.
 * Source: "Fan-Out" and "Timeout and Failure" of TrustGraph's orchestration specification.
 * @experimental
 */
export function fanOutDelegation<Key extends string = string>(
  given: DelegationOptions<Key> = {},
): DelegationOptions<Key> {
  if (!isObject(given)) {
    throw new ConfigurationError(`fanOutDelegation: expected an object of options, not ${show(given)}.`)
  }
  const { onDelegationComplete } = given
  return {
    includeConversationHistory: given.messageFilter !== undefined,
    ...given,
    onDelegationComplete: async (context: DelegationCompleteContext<Key>) => {
      const own = (await onDelegationComplete?.(context)) ?? {}
      const words = wordsOf(context)
      return words === undefined ? own : { resultText: words, ...own }
    },
  }
}

function wordsOf({ agentName, error, outcome }: DelegationCompleteContext): string | undefined {
  if (error === undefined || (outcome !== 'failed' && outcome !== 'timedOut')) return undefined
  return JSON.stringify({ error: `The agent "${agentName}" failed: ${error.message}` })
}
