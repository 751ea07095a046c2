/** Scores the answer of a case. */
import type { Score, ScoringContext } from '../../actors/scorer.ts'
import { toErrorData, type ErrorData } from '../../errors.ts'
import { systemClock } from '../../runtime/clock.ts'
import { readScore } from '../../runtime/engine/perform/scorer.ts'
import type { FinalResult } from '../../runtime/handle/result.ts'
import { inTime } from '../../runtime/in-time.ts'
import type { EvaluationTurn } from './conversation.ts'
import type { ToolRecord } from './tool-recording.ts'

/** The context of a scorer of `evaluate`: that of any scorer, the whole result, and the expectation of the case. */
export interface EvaluationContext extends ScoringContext {
  readonly result: FinalResult
  /** As the case gives it. */
  readonly expected: unknown
  /** The calls of tools of the whole tree in all turns, in their order. */
  readonly calls: readonly ToolRecord[]
  /** The messages of the user with their answers. `result` and `output` are those of the last. */
  readonly turns: readonly EvaluationTurn[]
}

/** A scorer from `createScorer`, or one that reads more of the run than its answer. */
export interface EvaluationScorer {
  readonly id: string
  /** The least score that passes, from 0 to 1. Default: 1. */
  readonly threshold?: number
  /** Milliseconds after which it counts as failed. Default: 60 000. */
  readonly timeout?: number | undefined
  readonly score: (context: EvaluationContext) => Score | Promise<Score>
}

/** The score of one scorer in one case. */
export interface CaseScore {
  readonly scorer: string
  readonly threshold: number
  readonly passed: boolean
  /** `undefined`: the scorer threw, or its answer is no score. */
  readonly score: number | undefined
  readonly reason?: string
  readonly error?: ErrorData
}

/** Milliseconds. */
const longest = 60_000

export async function scored(
  scorer: EvaluationScorer,
  context: Omit<EvaluationContext, 'signal'>,
): Promise<CaseScore> {
  const { id, threshold = 1, timeout = longest } = scorer
  const deadline = new AbortController()
  const { signal } = deadline
  try {
    const answer = await inTime({ clock: systemClock }, timeout, `The scorer "${id}"`, () =>
      scorer.score({ ...context, signal }),
    )
    const { score, reason } = readScore(answer, `The answer of the scorer "${id}"`)
    const passed = score >= threshold
    return { scorer: id, threshold, passed, score, ...(reason === undefined ? {} : { reason }) }
  } catch (thrown) {
    deadline.abort()
    const error = toErrorData(thrown, 'SCORER_FAILED')
    return { scorer: id, threshold, passed: false, score: undefined, error }
  }
}
