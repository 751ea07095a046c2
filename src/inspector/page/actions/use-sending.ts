/** The state of an action that is sent to the server. */
import { useState } from 'preact/hooks'
import { closeDialog } from './open-dialog.ts'
import { notify } from '../shared/announcer.tsx'

export interface Sending {
  readonly isSending: boolean
  /** Of the last attempt. */
  readonly error: unknown
  /** Sends; closes the dialog and says `done` when the server has taken it. */
  send(work: () => Promise<unknown>, done: string): void
}

export function useSending(): Sending {
  const [state, setState] = useState<{ readonly isSending: boolean; readonly error: unknown }>({
    isSending: false,
    error: undefined,
  })
  const attempt = async (work: () => Promise<unknown>, done: string) => {
    setState({ isSending: true, error: undefined })
    try {
      await work()
      closeDialog()
      notify(done)
    } catch (error) {
      setState({ isSending: false, error })
    }
  }
  return { ...state, send: (work, done) => void attempt(work, done) }
}
