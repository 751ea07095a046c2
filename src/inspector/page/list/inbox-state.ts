/** The inbox as the keys know it. */
import type { OpenQuestion } from '../../../index.ts'
import { signal } from '@preact/signals'

/** The question that the keys have come to. */
export const activeQuestion = signal<OpenQuestion | undefined>(undefined)

/** The questions of the inbox that is open. */
export const inboxQuestions = signal<readonly OpenQuestion[]>([])

export function isSame(a: OpenQuestion, b: OpenQuestion | undefined): boolean {
  return a.runId === b?.runId && a.toolCallId === b.toolCallId
}
