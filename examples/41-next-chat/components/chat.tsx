/** @jsxImportSource react */
'use client'
/** A chat by `useChat`. */
import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses as isApproved,
  lastAssistantMessageIsCompleteWithToolCalls as isPerformed,
} from 'ai'
import { useState } from 'react'
import type { History } from '../server/history.ts'
import { Part } from './part.tsx'
import { theme } from './theme.ts'

const api = '/api/chat/agents/bureau/chat'

export function Chat({ id, history }: { readonly id: string; readonly history: History }) {
  const { messages, underWay } = history
  const [transport] = useState(
    () =>
      new DefaultChatTransport({
        api,
        body: { tools: [theme] },
        prepareReconnectToStreamRequest: () => ({ api: `${api}/${id}/stream?runId=${underWay}` }),
      }),
  )
  const [text, setText] = useState('')
  const chat = useChat({
    id,
    messages,
    transport,
    resume: underWay !== undefined,
    sendAutomaticallyWhen: (chat) => isApproved(chat) || isPerformed(chat),
  })

  async function send(): Promise<void> {
    setText('')
    await chat.sendMessage({ text })
  }

  return (
    <>
      {chat.messages.map((message) => (
        <article key={message.id} className={message.role}>
          {message.parts.map((part, index) => (
            <Part
              key={index}
              part={part}
              onAnswer={chat.addToolApprovalResponse}
              onOutput={chat.addToolOutput}
            />
          ))}
        </article>
      ))}
      {chat.error !== undefined && <p role="alert">{chat.error.message}</p>}
      <form action={send}>
        <input
          aria-label="Your message"
          placeholder="I have to go to Bergen."
          required
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <button disabled={chat.status !== 'ready'}>Send</button>
      </form>
    </>
  )
}
