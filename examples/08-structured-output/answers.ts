/** What the journal of a run says of its answers: each text of the model, and what the check found wrong with it. */
import type { JournalEntry } from 'troupe'
import { z } from 'zod'

interface Answer {
  readonly text: string
  /** `null`: it has the shape. */
  readonly problem: string | null
}

const reply = z.object({ text: z.string() })
const check = z.object({ problem: z.string().nullable() })

export function answers(journal: readonly JournalEntry[]): Answer[] {
  const found: Answer[] = []
  let text = ''
  for (const entry of journal) {
    if (entry.type !== 'effect.settled') continue
    if (entry.kind === 'model') text = reply.safeParse(entry.settlement.value).data?.text ?? ''
    const checked = check.safeParse(entry.settlement.value)
    if (entry.kind === 'hook' && checked.success) found.push({ text, problem: checked.data.problem })
  }
  return found
}
