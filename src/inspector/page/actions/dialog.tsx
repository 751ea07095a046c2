/**
 * A dialog over the page: it keeps the focus until it is closed, and Escape closes it. The element that had the focus gets it
 * back. Its title and its buttons stay in sight; what is between them scrolls, by keys too where there is nothing else to do.
 */
import type { ComponentChildren, VNode } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { messageOf } from '../connection/failure.ts'
import { closeDialog, openDialog } from './open-dialog.ts'

interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  /** Done by the main button, and by Ctrl-Enter in a field. */
  readonly onSend?: () => void
  readonly sendLabel?: string
  readonly isDanger?: boolean
  /** Why it cannot be sent yet. */
  readonly refusal?: string | undefined
  readonly isSending?: boolean
  /** The last attempt failed. */
  readonly error?: unknown
  readonly isWide?: boolean
}

export function Dialog(props: DialogProps): VNode {
  const { title, children, onSend, sendLabel, refusal, isSending = false, error } = props
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [shown] = useState(() => openDialog.peek())
  // The event `close` comes late: another dialog may be open by then.
  const close = () => {
    if (openDialog.peek() === shown) closeDialog()
  }
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  const isOff = isSending || refusal !== undefined
  const send = () => {
    if (!isOff) onSend?.()
  }
  return (
    <dialog
      ref={element}
      class={props.isWide === true ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onClose={close}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send()
      }}
    >
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <h2 id={id}>{title}</h2>
        {onSend === undefined ? (
          <div class="dialog-body" role="group" aria-labelledby={id} tabIndex={0}>
            {children}
          </div>
        ) : (
          <div class="dialog-body">{children}</div>
        )}
        <p class={error === undefined ? 'unseen' : 'dialog-error said'} role="alert">
          {error === undefined ? '' : messageOf(error)}
        </p>
        <div class="dialog-buttons">
          {refusal !== undefined && <span class="muted dialog-refusal">{refusal}</span>}
          <button type="button" class="button" onClick={close}>
            {onSend === undefined ? 'Close' : 'Do nothing'}
          </button>
          {onSend !== undefined && (
            <button
              type="submit"
              class={props.isDanger === true ? 'button danger' : 'button main'}
              disabled={isOff}
            >
              {isSending ? 'Sending …' : sendLabel}
            </button>
          )}
        </div>
      </form>
    </dialog>
  )
}
