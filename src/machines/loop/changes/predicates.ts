/** Predicates on the context of the loop, shared by the guards that combine them. */
import type { HookOutcome } from '../../../actors/effects/effect-kinds.ts'
import { hasBackground } from './background.ts'
import { isAnswer, isSaid, type LoopContext } from './context.ts'
import { areHeld } from './live.ts'
import { isBroken } from '../../completion/context.ts'
import type { Report } from '../../contract/reports.ts'

export function hasFeedback(review: HookOutcome<'onIterationComplete'> | undefined): boolean {
  return review?.feedback !== undefined && review.feedback !== ''
}

export function hasProcessorFailed({ screening }: LoopContext): boolean {
  return screening !== undefined && screening.failures.length > 0
}

/** The work was scored complete, and the model has given no answer. */
export function lacksAnswer({ ending, said }: LoopContext): boolean {
  return ending.outcome === 'completed' && !isSaid(said)
}

/** Each call of the present step has its outcome. */
export function allSettled({ started, calls, live }: LoopContext): boolean {
  return started === calls.length && live.length === 0
}

/** A step has begun its calls, and not each of them has its outcome. */
function isStepUnderWay({ started, calls, settled }: LoopContext): boolean {
  return started > 0 && settled.length < calls.length
}

/** Whether a bail ends the agent now: under `last` the calls of the step report first. */
export function bails(context: LoopContext): boolean {
  return context.input.profile.bailStrategy === 'first' || !isStepUnderWay(context)
}

/** The children that have begun and not reported, those in the background last. */
export function liveChildren({ live, background }: LoopContext): string[] {
  return [...live, ...background.live].map(({ child }) => child)
}

export function noLiveChildren({ live, background }: LoopContext): boolean {
  return live.length + background.live.length === 0
}

/** All children have started, some are live, and all of these wait for signals. */
export function onlyHeldLeft({ started, calls, live, background }: LoopContext): boolean {
  if (started < calls.length || !areHeld(live) || !areHeld(background.live)) return false
  return live.length + background.live.length > 0
}

/** No further step may follow. */
export function isAtEnd({ ending, step, input }: LoopContext): boolean {
  return ending.outcome === 'exhausted' || step >= input.maxSteps
}

export function hasPassedScoring({ verdict }: LoopContext): boolean {
  return verdict.scoring?.outcome === 'passed'
}

export function hasAcceptedReply({ reply, verdict }: LoopContext): boolean {
  return isAnswer(reply) && !hasFeedback(verdict.review) && verdict.scoring === undefined
}

/** There is an answer without an objection, or the scorers have passed the work. */
export function isAccepted(context: LoopContext): boolean {
  return hasPassedScoring(context) || hasAcceptedReply(context)
}

/** A notice from the background, or a message of a person, that no prompt contains yet. */
export function hasUnread({ background }: LoopContext): boolean {
  return background.notices.length + background.sayings.length + background.passed.length > 0
}

/** Input processors must check messages of people before the model reads them. */
export function mustScreenSayings({ background, input }: LoopContext): boolean {
  return background.sayings.length > 0 && input.profile.processors.input.length > 0
}

/** As `hasUnread`, of what a prompt may contain: a message that is still to be checked may be refused. */
export function hasReadable(context: LoopContext): boolean {
  const { notices, passed, sayings } = context.background
  const readable = mustScreenSayings(context) ? 0 : sayings.length
  return notices.length + passed.length + readable > 0
}

/**
 * No call is at work in the background, and no notice or message is unread: only then may an answer end the agent.
 */
export function isIdle(context: LoopContext): boolean {
  return !hasBackground(context) && !hasUnread(context)
}

export function isBail(report: Report): boolean {
  return report.kind === 'delegation' && report.record.outcome === 'bailed'
}

/** A scorer is broken: the completion is out of reach, unless another scorer may pass alone. */
export function cannotBeMet({ verdict: { scoring }, input: { profile } }: LoopContext): boolean {
  const results = scoring?.results ?? []
  return profile.completion?.strategy === 'any'
    ? results.length > 0 && results.every(isBroken)
    : results.some(isBroken)
}

export function isUnmet({ verdict: { scoring } }: LoopContext): boolean {
  return scoring !== undefined && scoring.outcome !== 'passed'
}

export function mustScore(context: LoopContext): boolean {
  const { completion, scoreEvery } = context.input.profile
  return completion !== undefined && (scoreEvery === 'iteration' || isAnswer(context.reply))
}
