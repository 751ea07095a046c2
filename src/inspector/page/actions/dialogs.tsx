/** The dialog that is open. */
import type { VNode } from 'preact'
import { AnswerDialog } from './answer-dialog.tsx'
import { ForkDialog } from './fork-dialog.tsx'
import { openDialog } from './open-dialog.ts'
import { CancelDialog, DeleteDialog, SayDialog } from './run-dialogs.tsx'

export function Dialogs(): VNode | null {
  const dialog = openDialog.value
  switch (dialog?.type) {
    case undefined:
    case 'keys':
      return null
    case 'answer':
      return <AnswerDialog key={dialog.question.toolCallId} {...dialog} />
    case 'say':
      return <SayDialog {...dialog} />
    case 'cancel':
      return <CancelDialog {...dialog} />
    case 'fork':
      return <ForkDialog {...dialog} />
    case 'delete':
      return <DeleteDialog {...dialog} />
  }
}
