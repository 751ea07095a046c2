/** Saves the run, or its chart, as a file; deletes the run. */
import type { VNode } from 'preact'
import { useRef } from 'preact/hooks'
import { openDialog } from '../actions/open-dialog.ts'
import type { Document, Api } from '../connection/api.ts'
import { messageOf } from '../connection/failure.ts'
import type { RunSession } from '../connection/run-session.ts'
import { notify } from '../shared/announcer.tsx'
import { Button } from '../shared/button.tsx'
import { refusalOf, usePage } from '../shared/page-context.ts'

export function SaveMenu({ session }: { readonly session: RunSession }): VNode {
  const { api, service } = usePage()
  const menu = useRef<HTMLDetailsElement>(null)
  const model = session.model.value
  const machine = model.actors.at(model.path.value)?.machine
  const close = () => {
    if (menu.current !== null) menu.current.open = false
  }
  const keep = (kind: Document, of?: string) => () => {
    close()
    save(api, session.runId, kind, of).then(
      (name) => notify(`Saved as ${name}.`),
      (error: unknown) => notify(`It was not saved: ${messageOf(error)}`),
    )
  }
  return (
    <details
      ref={menu}
      class="menu"
      onKeyDown={(event) => {
        if (event.key === 'Escape') close()
      }}
      onFocusOut={(event) => {
        const { relatedTarget } = event
        if (!(relatedTarget instanceof Node) || !menu.current?.contains(relatedTarget)) close()
      }}
    >
      <summary class="button">Save …</summary>
      <div class="menu-items">
        <Button look="plain" refusal={refusalOf(service, 'recording')} onClick={keep('recording')}>
          Recording, for a test
        </Button>
        <Button
          look="plain"
          refusal={machine === undefined ? 'The chosen actor is no machine.' : undefined}
          onClick={keep('mermaid', machine)}
        >
          Chart of {machine ?? 'the actor'} as Mermaid
        </Button>
        <Button look="plain" refusal={refusalOf(service, 'turtle')} onClick={keep('turtle')}>
          Provenance as Turtle
        </Button>
        <Button
          look="plain"
          refusal={
            refusalOf(service, 'delete') ??
            (session.run.value?.status === 'settled' ? undefined : 'The run has not ended.')
          }
          onClick={() => {
            close()
            openDialog.value = { type: 'delete', runId: session.runId }
          }}
        >
          Delete the run …
        </Button>
      </div>
    </details>
  )
}

const extensions: Readonly<Record<Document, string>> = {
  recording: 'json',
  mermaid: 'mmd',
  turtle: 'ttl',
}

/** `machine`: the chart to draw, of a `mermaid`. Rejects as the request does. */
async function save(api: Api, runId: string, kind: Document, machine?: string): Promise<string> {
  const blob = await api.document(runId, kind, machine === undefined ? {} : { machine })
  const name = `${fileName(machine ?? runId)}.${extensions[kind]}`
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000) // a browser may begin to read it later
  return name
}

function fileName(text: string): string {
  return text.replaceAll(/[^\w.-]+/g, '-').slice(0, 80)
}
