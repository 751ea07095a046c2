/** Who answers, and a note: both are on record with the answer. The name is kept while the page is open. */
import type { VNode } from 'preact'
import { signal } from '@preact/signals'

const name = signal('')

/** What the journal is to say of the person who answers. */
export function signatureOf(note: string): { readonly by?: string; readonly note?: string } {
  const by = name.value.trim()
  return { ...(by === '' ? {} : { by }), ...(note.trim() === '' ? {} : { note }) }
}

interface SignatureProps {
  /** The name that the server gives to each answer. */
  readonly by: string | undefined
  readonly note: string
  readonly onNote: (note: string) => void
}

export function Signature({ by, note, onNote }: SignatureProps): VNode {
  return (
    <>
      <label class="field">
        Your name, for the record
        <input
          type="text"
          autocomplete="name"
          readOnly={by !== undefined}
          value={by ?? name.value}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
      </label>
      <label class="field">
        Note, for the record
        <input type="text" value={note} onInput={(event) => onNote(event.currentTarget.value)} />
      </label>
    </>
  )
}
