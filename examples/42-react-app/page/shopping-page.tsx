/** @jsxImportSource react */
/** The app on a page: what was bought, the buyer at work, and what a person may do in each state. */
import { useEffect, useState } from 'react'
import { useActor } from '@xstate/react'
import { keepSnapshot } from '../app/kept.ts'
import type { OpenApp } from '../app/open-app.ts'
import { BuyerAtWork } from './buyer-at-work.tsx'

export function ShoppingPage({ machine, troupe, snapshot: kept }: OpenApp) {
  const [snapshot, send, app] = useActor(machine, kept === undefined ? {} : { snapshot: kept })
  useEffect(() => keepSnapshot(localStorage, app), [app])
  const { need, purchases } = snapshot.context
  const { buyer } = snapshot.children

  return (
    <div data-state={snapshot.value}>
      <h1>What does the office need?</h1>
      {purchases.map((purchase, index) => (
        <article key={index}>
          <p className="asked">{purchase.need}</p>
          <p className="answer">{purchase.answer}</p>
        </article>
      ))}
      {snapshot.matches('buying') && buyer !== undefined && (
        <article aria-busy>
          <p className="asked">{need}</p>
          <BuyerAtWork buyer={buyer} troupe={troupe} />
          <button onClick={() => send({ type: 'stop' })}>Never mind</button>
        </article>
      )}
      {snapshot.matches('stuck') && (
        <p role="alert">
          This went wrong. <button onClick={() => send({ type: 'again' })}>Try again</button>{' '}
          <button onClick={() => send({ type: 'stop' })}>Never mind</button>
        </p>
      )}
      {snapshot.matches('waiting') && <Ask onAsk={(wish) => send({ type: 'ask', need: wish })} />}
    </div>
  )
}

function Ask({ onAsk }: { readonly onAsk: (need: string) => void }) {
  const [need, setNeed] = useState('')
  return (
    <form action={() => onAsk(need)}>
      <input
        aria-label="What is needed"
        placeholder="A lamp for the desk at the window"
        required
        value={need}
        onChange={({ target }) => setNeed(target.value)}
      />
      <button>Ask the buyer</button>
    </form>
  )
}
