/** @jsxImportSource react */
/** The actor of the agent on a page: its snapshot has the questions, and its run is shown as any other. */
import { useSelector } from '@xstate/react'
import type { Troupe } from 'troupe'
import { useRun } from 'troupe/react'
import { visibleJson } from 'troupe/view'
import { Summary } from './summary.tsx'
import type { BuyerRef } from '../app/shopping.ts'

interface BuyerAtWorkProps {
  readonly buyer: BuyerRef
  readonly troupe: Troupe
}

export function BuyerAtWork({ buyer, troupe }: BuyerAtWorkProps) {
  const awaiting = useSelector(buyer, (snapshot) => snapshot.awaiting)
  const runId = useSelector(buyer, (snapshot) => snapshot.runId)
  const isOnRecord = useSelector(buyer, (snapshot) => snapshot.beginning === undefined)
  const { view } = useRun(isOnRecord ? { service: troupe, runId } : undefined)
  const calls = view.agents.map(({ parts }) => parts.filter((part) => part.type === 'tool')).flat()

  return (
    <>
      {calls.map(({ id, toolName, status }) => (
        <p key={id} className="call">
          {toolName}: {status}
        </p>
      ))}
      {awaiting.map(({ toolCallId, toolName, args }) => (
        <p key={toolCallId}>
          May the buyer {toolName} <code>{visibleJson(args)}</code>?{' '}
          <button onClick={() => buyer.send({ type: 'approve', toolCallId })}>Approve</button>{' '}
          <button onClick={() => buyer.send({ type: 'deny', toolCallId })}>Deny</button>
        </p>
      ))}
      {view.text !== '' && <p className="answer">{view.text}</p>}
      {isOnRecord && <Summary troupe={troupe} runId={runId} />}
    </>
  )
}
