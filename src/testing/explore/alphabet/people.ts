/** The answers of people to the questions of a run. */
import type { EffectInput, EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import type { JsonValue } from '../../../actors/values/json.ts'
import { isVerdict } from '../../../runtime/state/signals/open-signals.ts'

/**
 * An answer of a person: to an approval, `approve` or `deny`; `never`: the question stays open; `resume`: data for a
 * call that its tool has suspended; `change`: arguments, or the steps of a plan, with which it is approved. `approve` resumes such a call with `null`. A call that a crash has interrupted and
 * that asks a person: `approve` makes it again, `{ resume: { result } }` gives its result.
 */
export type PersonSays =
  'approve' | 'deny' | 'never' | { readonly resume: JsonValue } | { readonly change: JsonValue }

export interface PersonAnswer {
  readonly name: string
  /** Absent: no person ever answers. */
  readonly answer?: EffectOutcome<'signal'>
}

/** The answers that fit the question. */
export function answersTo(
  { type }: EffectInput<'signal'>,
  people: readonly PersonSays[],
): readonly PersonAnswer[] {
  return people.flatMap((says): readonly PersonAnswer[] => {
    if (says === 'never') return [{ name: 'never answers' }]
    if (says === 'deny') return [{ name: 'denies', answer: { approved: false } }]
    if (says === 'approve') {
      if (type === 'approval') return [{ name: 'approves', answer: { approved: true } }]
      const data = type === 'interruption' ? { retry: true } : null
      return [{ name: 'resumes', answer: { approved: true, data } }]
    }
    if ('change' in says) {
      if (type !== 'approval') return []
      const name = `approves with ${JSON.stringify(says.change)}`
      return [{ name, answer: { approved: true, args: says.change } }]
    }
    const fits = type === 'suspension' || (type === 'interruption' && isVerdict(says.resume))
    if (!fits) return []
    return [
      { name: `resumes with ${JSON.stringify(says.resume)}`, answer: { approved: true, data: says.resume } },
    ]
  })
}
