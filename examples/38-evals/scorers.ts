/** Evaluators of the package `autoevals` as scorers: one that compares texts, and two that ask a model. */
import { ClosedQA, Factuality, Levenshtein } from 'autoevals'
import type { Score, ScoringContext } from 'troupe'
import type { EvaluationContext, EvaluationScorer } from 'troupe/testing'

/** The model that the evaluators ask. */
export interface JudgeModel {
  readonly model: string
  readonly openAiBaseUrl?: string
  readonly openAiApiKey?: string
}

/** Judges an answer by a question that has yes or no for an answer. */
export type Judge = (criterion: string) => (context: ScoringContext) => Promise<Score>

type Evaluated = Awaited<ReturnType<typeof Factuality>>

/** An evaluator that gives no score throws: the scorer is `errored`, and never passes. */
function toScore({ name, score, metadata }: Evaluated): Score {
  if (score === null) throw new Error(`${name} gave no score.`)
  const reason = metadata?.['rationale']
  return typeof reason === 'string' ? { score, reason } : score
}

export const isSimilar: EvaluationScorer = {
  id: 'is-similar',
  threshold: 0.5,
  score: async ({ output, expected }) => toScore(await Levenshtein({ output, expected: String(expected) })),
}

export function createFactuality(judge: JudgeModel): EvaluationScorer {
  return {
    id: 'is-factual',
    threshold: 0.6,
    score: async ({ input, output, expected }: EvaluationContext) =>
      toScore(await Factuality({ input, output, expected: String(expected), ...judge })),
  }
}

export function createJudge(judge: JudgeModel): Judge {
  return (criteria) =>
    async ({ input, output }) =>
      toScore(await ClosedQA({ input, output, criteria, ...judge }))
}
