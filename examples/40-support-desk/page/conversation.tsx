/** @jsxImportSource react */
/** One run as its customer sees it: the question, the calls, and the answer while it is written. */
import { useRun } from 'troupe/react'
import type { PartView, ToolPart } from 'troupe/view'

export function Conversation({ runId }: { readonly runId: string }) {
  const { view, status, connection, cancel } = useRun(`/api/runs/${runId}`)
  return (
    <article aria-busy={status !== 'settled'} data-status={status}>
      <p className="asked">{view.task}</p>
      {view.agents.map((agent) => agent.parts.map((part) => <Part key={part.id} part={part} />))}
      {view.error !== undefined && <p role="alert">This went wrong. Please ask once more.</p>}
      {connection === 'reconnecting' && <p role="status">Connecting again …</p>}
      {(status === 'running' || status === 'suspended') && (
        <button onClick={() => void cancel('the customer has left')}>Never mind</button>
      )}
    </article>
  )
}

/** A message that was cut, such as one of a server that has died, is written again. */
function Part({ part }: { readonly part: PartView }) {
  switch (part.type) {
    case 'text':
      return part.status === 'streaming' || part.status === 'complete' ? (
        <p className="answer">{part.text}</p>
      ) : null
    case 'tool':
      return <Call part={part} />
    default:
      return null
  }
}

const states: Readonly<Record<ToolPart['status'], string>> = {
  streaming: '…',
  cut: '…',
  running: '…',
  waiting: 'waits for a colleague',
  succeeded: 'done',
  failed: 'failed',
  denied: 'not approved',
  cancelled: 'called off',
}

function Call({ part: { toolName, status, answer } }: { readonly part: ToolPart }) {
  return (
    <p className="call">
      {toolName}: {states[status]}
      {answer?.note !== undefined && ` (“${answer.note}”)`}
    </p>
  )
}
