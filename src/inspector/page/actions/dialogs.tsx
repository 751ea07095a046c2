/** The dialog that is open. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { AnswerDialog } from './answer-dialog.tsx'
import { ForkDialog } from './fork-dialog.tsx'
import { openDialog, type PropsOf } from './open-dialog.ts'
import { refusalOf, usePage } from '../shared/page-context.ts'
import { goTo } from '../shared/router.ts'
import { Dialog } from './dialog.tsx'
import { useSending } from './use-sending.ts'

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

/** Dialogs about a whole run: say something, cancel, delete. */
function SayDialog({ runId, agent }: PropsOf<'say'>): VNode {
  const { api } = usePage()
  const [message, setMessage] = useState('')
  const sending = useSending()
  return (
    <Dialog
      title="Say something"
      sendLabel="Say it"
      onSend={() =>
        sending.send(() => api.signal(runId, { type: 'say', message }), 'The message is on record.')
      }
      refusal={message.trim() === '' ? 'Write a message first.' : undefined}
      {...sending}
    >
      <label class="field">
        The model of {agent} reads it with its next request
        <textarea rows={5} value={message} onInput={(event) => setMessage(event.currentTarget.value)} />
      </label>
    </Dialog>
  )
}

function CancelDialog({ runId, delegation }: PropsOf<'cancel'>): VNode {
  const { api, service } = usePage()
  const [reason, setReason] = useState('')
  const [isForced, setForced] = useState(false)
  const sending = useSending()
  const why = reason === '' ? {} : { reason }
  const target = delegation === undefined ? 'the run' : `the delegation to ${delegation.agent}`
  const cancel = () =>
    api.signal(runId, {
      type: 'cancel',
      ...why,
      ...(delegation === undefined ? {} : { delegationId: delegation.delegationId }),
    })
  return (
    <Dialog
      title={`Cancel ${target}?`}
      sendLabel="Cancel it"
      isDanger
      onSend={() =>
        isForced
          ? sending.send(() => api.end(runId, why), 'The run was ended by force.')
          : sending.send(cancel, `The cancel of ${target} is on record.`)
      }
      {...sending}
    >
      <p>
        {delegation === undefined
          ? 'Work under way is aborted, and the run ends as cancelled.'
          : 'Its agent is told that it was cancelled, and the run goes on.'}
      </p>
      <label class="field">
        Reason
        <input type="text" value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      {delegation === undefined && refusalOf(service, 'end') === undefined && (
        <label class="check">
          <input
            type="checkbox"
            checked={isForced}
            onChange={(event) => setForced(event.currentTarget.checked)}
          />
          By force: the run cannot go on. Nothing of it is performed, and its tasks in other systems are left.
        </label>
      )}
    </Dialog>
  )
}

function DeleteDialog({ runId }: PropsOf<'delete'>): VNode {
  const { api } = usePage()
  const sending = useSending()
  const remove = async () => {
    await api.remove(runId)
    goTo({ view: 'runs' })
  }
  return (
    <Dialog
      title="Delete the run?"
      sendLabel="Delete it"
      isDanger
      onSend={() => sending.send(remove, 'The run was deleted.')}
      {...sending}
    >
      <p>
        The journal of <code class="said">{runId}</code> is removed from the store. This cannot be undone.
      </p>
    </Dialog>
  )
}
