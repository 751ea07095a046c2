/** @jsxImportSource react */
/** The page is rendered with the chat so far. */
import { cookies } from 'next/headers'
import { Chat } from '../components/chat.tsx'
import { historyOf } from '../server/history.ts'

const chatId = 'main'

export default async function Page() {
  const visitor = (await cookies()).get('visitor')?.value ?? ''
  return <Chat id={chatId} history={await historyOf(chatId, visitor)} />
}
