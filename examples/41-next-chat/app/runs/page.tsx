/** @jsxImportSource react */
/** What the runs of the visitor have come to, and who spent what: made by the server, as the inspector makes it. */
import { cookies } from 'next/headers'
import { summariesOf } from '../../server/summaries.ts'

export default async function Page() {
  const visitor = (await cookies()).get('visitor')?.value ?? ''
  const summaries = await summariesOf(visitor)
  return summaries.map(({ runId, text }) => (
    <article key={runId}>
      <pre>{text}</pre>
    </article>
  ))
}
