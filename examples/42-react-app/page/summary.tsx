/** @jsxImportSource react */
/** What a run has come to so far, and who spent what: by the functions of the inspector, in the page itself. */
import { useState } from 'react'
import type { Troupe } from 'troupe'
import { summarise, summaryText } from 'troupe/view'

interface SummaryProps {
  readonly troupe: Troupe
  readonly runId: string
}

export function Summary({ troupe, runId }: SummaryProps) {
  const [text, setText] = useState('One moment …')
  const look = async () => setText(summaryText(summarise((await troupe.trail(runId)).entries), { width: 72 }))
  return (
    <details onToggle={() => void look()}>
      <summary>Summary so far</summary>
      <pre>{text}</pre>
    </details>
  )
}
