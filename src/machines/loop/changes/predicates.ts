/** What the guards of the loop ask of its context: each a question with one answer, shared where guards combine them. */
import type { HookOutcome } from '../../../actors/effect-kinds.ts'
import type { DecisionOutput } from '../../decision.ts'
import { foreground, hasBackground } from './background.ts'
import { isAnswer, type LoopContext } from './context.ts'
import type { Report } from './record.ts'

export function hasFeedback(review: HookOutcome<'onIterationComplete'> | undefined): boolean {
  return review?.feedback !== undefined && review.feedback !== ''
}

export function hasProcessorFailed({ screening }: LoopContext): boolean {
  return screening !== undefined && screening.failures.length > 0
}

/** Scored complete on what it did; it was asked for the answer, and there is none. */
export function lacksAnswer({ ending, said }: LoopContext): boolean {
  return ending.outcome === 'completed' && said.text === ''
}

export function endsStep(context: LoopContext, report: Report): boolean {
  return (
    context.bail === undefined &&
    !isBail(report) &&
    context.started === context.calls.length &&
    foreground(context) === 1
  )
}

export function allSettled(context: LoopContext): boolean {
  return context.started === context.calls.length && foreground(context) === 0
}

export function isScored({ verdict }: LoopContext): boolean {
  return verdict.scoring?.outcome === 'passed'
}

export function isAnswered({ reply, verdict }: LoopContext): boolean {
  return isAnswer(reply) && !hasFeedback(verdict.review) && verdict.scoring === undefined
}

/** There is an answer, and nobody objects; or a scorer says that nothing is left to do. */
export function isAccepted(context: LoopContext): boolean {
  return isScored(context) || isAnswered(context)
}

export function hasNews({ background }: LoopContext): boolean {
  return background.news.length > 0
}

/** Nothing is at work in the background, or unheard of: only then is an answer the end. */
export function isIdle(context: LoopContext): boolean {
  return !hasBackground(context) && !hasNews(context)
}

export function isDecision(report: Report, decision: DecisionOutput['decision']): boolean {
  return 'decision' in report && report.decision === decision
}

export function isBail(report: Report): boolean {
  return 'record' in report && report.record.outcome === 'bailed'
}

export function isUnmet({ verdict: { scoring } }: LoopContext): boolean {
  return scoring !== undefined && scoring.outcome !== 'passed'
}

export function mustScore(context: LoopContext): boolean {
  const { completion, scoreEvery } = context.input.profile
  return completion !== undefined && (scoreEvery === 'iteration' || isAnswer(context.reply))
}
