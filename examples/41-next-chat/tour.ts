/** What a page does, without a browser: a message, an approval, a tool of its own, and the page once more. */
import { DefaultChatTransport, getToolName, isToolUIPart, readUIMessageStream, type UIMessage } from 'ai'
import { theme } from './components/theme.ts'

export async function tour(url: string): Promise<void> {
  const cookie = await visitorAt(url)
  const transport = new DefaultChatTransport({
    api: `${url}api/chat/agents/bureau/chat`,
    headers: { cookie },
    body: { tools: [theme] },
  })
  /** The message of the assistant, once its stream has ended. Behind an approval it goes on. */
  async function answerTo(...messages: UIMessage[]): Promise<UIMessage> {
    const chat = { chatId: 'main', messageId: undefined, abortSignal: undefined }
    const stream = await transport.sendMessages({ ...chat, trigger: 'submit-message', messages })
    let last = messages.at(-1)
    const message = last?.role === 'assistant' ? { message: last } : {}
    for await (const next of readUIMessageStream({ ...message, stream, terminateOnError: true })) last = next
    if (last === undefined) throw new Error('There is no answer.')
    return last
  }

  const text = 'I have to go to Bergen.'
  const question: UIMessage = { id: 'm1', role: 'user', parts: [{ type: 'text', text }] }
  console.log(`\ntraveller: ${text}`)
  const held = await answerTo(question)
  console.log(`bureau: ${linesOf(held)}`)
  const whole = await answerTo(question, approved(held))
  console.log(`approved: ${linesOf(whole)}`)

  const wish = 'Show the page dark, please.'
  const next: UIMessage = { id: 'm2', role: 'user', parts: [{ type: 'text', text: wish }] }
  console.log(`traveller: ${wish}`)
  const called = await answerTo(question, whole, next)
  console.log(`bureau: ${linesOf(called)}`)
  console.log(`performed: ${linesOf(await answerTo(question, whole, next, performed(called)))}`)

  const page = await (await fetch(url, { headers: { cookie } })).text()
  console.log(`A page that is loaded now shows the booking: ${page.includes('you have the window')}`)
  const runs = await (await fetch(`${url}runs`, { headers: { cookie } })).text()
  console.log(`A page of summaries says who was asked: ${/asked for approval of book: approved/.test(runs)}`)
}

/** The cookie that the first answer sets. */
async function visitorAt(url: string): Promise<string> {
  const { headers } = await fetch(url, { redirect: 'manual' })
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';')
  return cookie
}

/** The message in which the traveller has approved each call that waits. */
function approved(message: UIMessage): UIMessage {
  const parts = message.parts.map((part) =>
    isToolUIPart(part) && part.state === 'approval-requested'
      ? { ...part, state: 'approval-responded' as const, approval: { ...part.approval, approved: true } }
      : part,
  )
  return { ...message, parts }
}

/** The message in which the page has performed each call of its own tools. */
function performed(message: UIMessage): UIMessage {
  const parts = message.parts.map((part) =>
    part.type === 'tool-theme' && 'input' in part && part.state === 'input-available'
      ? { ...part, state: 'output-available' as const, output: { theme: 'dark' } }
      : part,
  )
  return { ...message, parts }
}

function linesOf({ parts }: UIMessage): string {
  const told = parts.flatMap((part) => {
    if (part.type === 'text') return [part.text]
    return isToolUIPart(part) ? [`${getToolName(part)} ${part.state}`] : []
  })
  return told.join(', ')
}
