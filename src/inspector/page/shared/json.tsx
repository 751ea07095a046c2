/** JSON as a tree that is opened piece by piece. The content of a closed piece is not in the page. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Said, Words } from './words.tsx'

interface JsonProps {
  /** JSON, or an object of it. */
  readonly value: unknown
  readonly name?: string
  /** How many levels are open in the beginning. */
  readonly open?: number
}

/** Members of an object or a list that are shown at first. */
const firstMembers = 100

export function Json({ value, name, open = 2 }: JsonProps): VNode {
  return typeof value === 'object' && value !== null ? (
    <Branch value={value} name={name} open={open} />
  ) : (
    <div class="json-leaf">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  )
}

interface BranchProps {
  readonly value: object
  readonly name: string | undefined
  readonly open: number
}

function Branch({ value, name, open }: BranchProps): VNode {
  const members = Object.entries(value)
  const [isOpen, setOpen] = useState(open > 0)
  const [shown, setShown] = useState(firstMembers)
  const [left, right] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (members.length === 0) {
    return (
      <div class="json-leaf">
        <Name name={name} />
        <span class="muted">{left + right}</span>
      </div>
    )
  }
  return (
    <details class="json" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Name name={name} />
        <span class="muted">{left + String(members.length) + right}</span>
      </summary>
      {isOpen && (
        <div class="json-members">
          {members.slice(0, shown).map(([key, member]) => (
            <Json key={key} name={key} value={member} open={open - 1} />
          ))}
          {members.length > shown && (
            <button type="button" class="button" onClick={() => setShown(shown + firstMembers)}>
              {members.length - shown} more
            </button>
          )}
        </div>
      )}
    </details>
  )
}

function Name({ name }: { readonly name: string | undefined }): VNode | null {
  return name === undefined ? null : (
    <>
      <span class="json-name said">
        <Said text={name} />
      </span>
      <span class="muted">: </span>
    </>
  )
}

function Leaf({ value }: { readonly value: unknown }): VNode {
  if (typeof value === 'string') return <Words text={value} isQuoted />
  return <span class={`json-${typeof value}`}>{JSON.stringify(value) ?? 'undefined'}</span>
}
