/** @jsxImportSource react */
/** The runs that have ended, for the staff: each with its summary, as the inspector and the terminal have it. */
import { useState } from 'react'
import type { ServedRun } from 'troupe/http'
import { endedRuns, summaryOf } from './server.ts'

export function Ended() {
  const [runs, setRuns] = useState<readonly ServedRun[]>()
  return (
    <>
      <h2>Ended</h2>
      <button onClick={() => void endedRuns().then(setRuns)}>Look</button>
      {runs?.length === 0 && <p>None has ended.</p>}
      {runs?.map(({ runId, outcome }) => (
        <Run key={runId} runId={runId} outcome={outcome ?? ''} />
      ))}
    </>
  )
}

function Run({ runId, outcome }: { readonly runId: string; readonly outcome: string }) {
  const [summary, setSummary] = useState<string>()
  return (
    <details onToggle={() => void summaryOf(runId).then(setSummary)}>
      <summary>
        {outcome} <code>{runId}</code>
      </summary>
      <pre className="summary">{summary ?? 'One moment …'}</pre>
    </details>
  )
}
