/** The explanation of the answer of the run. */
import type { VNode } from 'preact'
import { Failed } from '../shared/failed.tsx'
import { Few } from '../shared/few.tsx'
import { refusalOf, usePage } from '../shared/page-context.ts'
import { useLoaded } from '../shared/use-loaded.ts'
import type { RunSession } from '../connection/run-session.ts'

export function WhyPanel({ session }: { readonly session: RunSession }): VNode {
  const { api, service } = usePage()
  const refusal = refusalOf(service, 'why')
  const length = session.model.value.length.value
  const hasEnded = session.run.value?.status === 'settled'
  const why = useLoaded(refusal === undefined && hasEnded ? `${length}` : undefined, () =>
    api.why(session.runId),
  )
  if (refusal !== undefined) {
    return (
      <div class="empty">
        <h2>The answer cannot be explained here</h2>
        <p class="said">{refusal}</p>
      </div>
    )
  }
  if (!hasEnded) {
    return (
      <div class="empty">
        <h2>There is no answer yet</h2>
        <p>When the run has ended, its answer is explained here.</p>
      </div>
    )
  }
  if (why.state === 'failed') return <Failed subject="The explanation" error={why.error} retry={why.retry} />
  if (why.value === undefined) return <p class="empty">Loading the explanation …</p>
  return (
    <section class="block">
      <h2>Why the run gave its answer</h2>
      <Lines lines={why.value.lines} />
    </section>
  )
}

/** Each line stands as far in as its spaces say, and so does the rest of it where it is broken. */
function Lines({ lines }: { readonly lines: readonly string[] }): VNode {
  return (
    <Few items={lines} most={300} word="line">
      {(shown) => (
        <ol class="why">
          {shown.map((line, index) => {
            const text = line.trimStart()
            return (
              <li key={index} style={{ marginLeft: `${(line.length - text.length) * 6}px` }}>
                <span class="said" dir="auto">
                  {text}
                </span>
              </li>
            )
          })}
        </ol>
      )}
    </Few>
  )
}
