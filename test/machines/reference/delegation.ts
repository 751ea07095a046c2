/** The endings of a delegation, as the rules of docs/design/behaviours.md have them. */
import type { DelegationInput } from '../../../src/machines/delegation.ts'
import type { Facts, Reference } from './facts.ts'

const ignores = ({ input }: Facts<DelegationInput>) => input.profile.hookErrors === 'ignore'
const approves = ({ input }: Facts<DelegationInput>) => input.profile.delegation.requireApproval !== undefined
const reviews = ({ input }: Facts<DelegationInput>) => input.profile.hooks.onDelegationComplete !== undefined

/** The hook that reviews a result let it pass, or failed where that is ignored, or there is none. */
function passesReview(facts: Facts<DelegationInput>, result: string): boolean {
  if (!facts.lastHad('agent', result)) return false
  // Nothing is asked after the time of the run is up.
  if (!reviews(facts) || facts.heard('budget spent')) return facts.endedBy('agent', result)
  return (
    facts.endedBy('onDelegationComplete', 'accepts', 'gives feedback') ||
    (ignores(facts) && (facts.endedBy('onDelegationComplete', 'fails') || facts.endedBy('timer', 'fires')))
  )
}

export const delegationReference: Reference<DelegationInput> = {
  // Rule 2.
  rejected: (facts) =>
    (facts.input.unknownFiles !== undefined && facts.stimuli.length === 0) ||
    (!facts.had('agent') &&
      (facts.endedBy('onDelegationStart', 'rejects') ||
        facts.endedBy('signal', 'no') ||
        // Rule 27: silence is a no.
        (approves(facts) && facts.endedBy('timer', 'fires')) ||
        (facts.input.standing?.approved === false &&
          facts.endedBy('requireDelegationApproval', 'needed', 'fails')))),
  succeeded: (facts) =>
    passesReview(facts, 'ends completed') &&
    !facts.heard('cancel') &&
    !facts.had('signal', 'no') &&
    (facts.input.profile.delegation.requireApproval !== true ||
      facts.had('signal', 'yes', 'yes, with another prompt')),
  // Rule 16: also on a failed delegation.
  bailed: (facts) => facts.endedBy('onDelegationComplete', 'bails') && !facts.heard('cancel', 'budget spent'),
  // Rules 4 and 5.
  failed: (facts) =>
    facts.had('agent', 'ends failed', 'fails') ||
    (!ignores(facts) &&
      (facts.had('onDelegationStart', 'fails') ||
        facts.had('requireDelegationApproval', 'fails') ||
        facts.had('messageFilter', 'fails') ||
        facts.endedBy('onDelegationComplete', 'fails') ||
        (facts.had('agent') && facts.endedBy('timer', 'fires')))),
  timedOut: (facts) => facts.heard('time is up') || facts.had('timer', 'fires'),
  exhausted: (facts) =>
    facts.input.depth > facts.input.profile.maxDepth
      ? facts.stimuli.length === 0
      : facts.heard('budget spent') || passesReview(facts, 'ends exhausted'),
  cancelled: (facts) => facts.heard('cancel') || facts.had('agent', 'ends cancelled'),
}
