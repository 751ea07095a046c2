/** @jsxImportSource react */
/** The chat of a customer. It keeps nothing: the runs of the customer are those that the server lists. */
import { useEffect, useState } from 'react'
import { Conversation } from './conversation.tsx'
import { myRuns, start } from './server.ts'

export function Chat() {
  const [runs, setRuns] = useState<readonly string[]>([])
  const [prompt, setPrompt] = useState('')
  const [problem, setProblem] = useState('')
  useEffect(() => {
    myRuns().then(
      (listed) => setRuns((known) => [...new Set([...listed, ...known])]),
      () => setProblem('The desk does not answer. Please load the page once more.'),
    )
  }, [])

  async function ask(): Promise<void> {
    const runId = crypto.randomUUID()
    try {
      await start(runId, prompt)
      setRuns((known) => [...known, runId])
      setProblem('')
      setPrompt('')
    } catch {
      setProblem('The desk does not answer. Please send it once more.')
    }
  }

  return (
    <>
      {runs.map((runId) => (
        <Conversation key={runId} runId={runId} />
      ))}
      <form action={ask}>
        <input
          aria-label="Your question"
          placeholder="Where is order B-20?"
          required
          value={prompt}
          onChange={({ target }) => setPrompt(target.value)}
        />
        <button>Send</button>
      </form>
      {problem !== '' && <p role="alert">{problem}</p>}
    </>
  )
}
