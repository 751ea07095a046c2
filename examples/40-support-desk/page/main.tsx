/** @jsxImportSource react */
/** The page: a chat for customers, an inbox for the staff. */
import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Chat } from './chat.tsx'
import { Inbox } from './inbox.tsx'
import { currentUser, signIn, type User } from './server.ts'

/** `undefined`: it is not known yet; `null`: nobody has signed in. */
function Desk() {
  const [user, setUser] = useState<User | null>()
  useEffect(() => void currentUser().then(setUser), [])
  if (user === undefined) return <p>One moment …</p>
  if (user === null) return <SignIn onSignIn={setUser} />
  return (
    <>
      <header>
        <h1>{user.role === 'staff' ? 'Inbox' : 'Support'}</h1>
        <span>{user.name}</span>
      </header>
      {user.role === 'staff' ? <Inbox /> : <Chat />}
    </>
  )
}

function SignIn({ onSignIn }: { readonly onSignIn: (user: User | null) => void }) {
  return (
    <>
      <h1>Who are you?</h1>
      <p>
        {['ann', 'ben', 'sam'].map((name) => (
          <button key={name} onClick={() => void signIn(name).then(onSignIn)}>
            {name}
          </button>
        ))}
      </p>
      <p className="note">Ann and Ben are customers, Sam is staff.</p>
    </>
  )
}

const place = document.getElementById('page')
if (place === null) throw new Error('The document has no place for the page.')
createRoot(place).render(
  <StrictMode>
    <Desk />
  </StrictMode>,
)
