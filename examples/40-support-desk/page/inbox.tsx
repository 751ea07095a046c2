/** @jsxImportSource react */
/** The inbox of the staff: the questions of all runs, which are looked for every second. */
import { useCallback, useEffect, useState } from 'react'
import type { ServedQuestion } from 'troupe/http'
import { useRun } from 'troupe/react'
import { visibleJson } from 'troupe/view'
import { Ended } from './ended.tsx'
import { openQuestions } from './server.ts'

const pause = 1_000

export function Inbox() {
  const [questions, setQuestions] = useState<readonly ServedQuestion[]>([])
  const [isCurrent, setIsCurrent] = useState(true)
  const look = useCallback(async () => {
    try {
      setQuestions(await openQuestions())
      setIsCurrent(true)
    } catch {
      setIsCurrent(false)
    }
  }, [])
  useEffect(() => {
    void look()
    const timer = setInterval(() => void look(), pause)
    return () => clearInterval(timer)
  }, [look])

  return (
    <>
      {!isCurrent && <p role="status">The desk does not answer.</p>}
      {questions.length === 0 && <p>Nothing waits.</p>}
      {questions.map((question) => (
        <Question key={`${question.runId} ${question.toolCallId}`} question={question} onAnswer={look} />
      ))}
      <Ended />
    </>
  )
}

interface QuestionProps {
  readonly question: ServedQuestion
  readonly onAnswer: () => Promise<void>
}

function Question({ question: { runId, toolCallId, toolName, args }, onAnswer }: QuestionProps) {
  const { view, approve, deny } = useRun(`/api/runs/${runId}`)
  const [note, setNote] = useState('')
  const [problem, setProblem] = useState('')
  const withNote = note === '' ? {} : { note }

  async function answer(sending: Promise<void>): Promise<void> {
    try {
      await sending
      await onAnswer()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }

  return (
    <article>
      <p className="asked">{view.task}</p>
      <p>
        May the desk {toolName} <code>{visibleJson(args)}</code>?
      </p>
      <form onSubmit={(event) => event.preventDefault()}>
        <input aria-label="Note" value={note} onChange={({ target }) => setNote(target.value)} />
        <button onClick={() => void answer(approve(toolCallId, withNote))}>Approve</button>
        <button onClick={() => void answer(deny(toolCallId, note === '' ? undefined : note))}>Deny</button>
      </form>
      {problem !== '' && <p role="alert">{problem}</p>}
    </article>
  )
}
