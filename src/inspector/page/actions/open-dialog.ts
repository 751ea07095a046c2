/** The dialog that is open, and the action that it asks about. */
import type { OpenQuestion } from '../../../index.ts'
import { signal } from '@preact/signals'
import type { Row } from '../../wire/rows.ts'

export type ActionDialog =
  | {
      readonly type: 'answer'
      readonly question: OpenQuestion
      /** The decision that the dialog begins with. */
      readonly decision: 'approve' | 'deny' | 'resume'
    }
  | { readonly type: 'say'; readonly runId: string; readonly agent: string }
  /** `delegation`: only that one is cancelled. */
  | { readonly type: 'cancel'; readonly runId: string; readonly delegation?: Delegation }
  | {
      readonly type: 'fork'
      readonly runId: string
      readonly row: Row
      /** It begins with the editor of the outcome. */
      readonly withPatch: boolean
      /** What the run has paid and done behind the row. */
      readonly done: readonly string[]
    }
  | { readonly type: 'delete'; readonly runId: string }
  | { readonly type: 'keys' }

/** The parts of the dialog for one type. */
export type PropsOf<Type extends ActionDialog['type']> = Omit<
  Extract<ActionDialog, { readonly type: Type }>,
  'type'
>

/** A delegation under way. */
export interface Delegation {
  readonly delegationId: string
  readonly agent: string
}

export const openDialog = signal<ActionDialog | undefined>(undefined)

export function closeDialog(): void {
  openDialog.value = undefined
}

/** Opens the dialog of a question: for approval, or for data to go on with. */
export function askAnswer(question: OpenQuestion, decision: 'approve' | 'deny' = 'approve'): void {
  openDialog.value = {
    type: 'answer',
    question,
    decision: question.type === 'approval' ? decision : 'resume',
  }
}
