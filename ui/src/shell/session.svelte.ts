/** Who uses the page: nobody yet on a fresh install, a visitor who is not signed in, or a user. */
import { ApiError, call, onSignedOut } from '../api/client'

export interface User {
  id: string
  username: string
  role: 'admin' | 'editor' | 'viewer'
  envs: string[]
  indexes: string[]
  enabled: boolean
  /** The user's name at the identity provider, if it differs from the user name. */
  saml_identity: string | null
  has_password: boolean
}

interface SetupState {
  required: boolean
  code_required?: boolean
}

export type Stage = 'starting' | 'setup' | 'signed-out' | 'signed-in' | 'failed'

class Session {
  stage = $state<Stage>('starting')
  user = $state<User | null>(null)
  failure = $state('')
  /** Whether the session has ended without the user signing out. */
  hasEnded = $state(false)
  /** Whether creating the first account requires the setup code. */
  needsSetupCode = $state(false)

  constructor() {
    onSignedOut(() => this.end())
  }

  get isAdmin(): boolean {
    return this.user?.role === 'admin'
  }

  get mayEdit(): boolean {
    return this.user?.role === 'admin' || this.user?.role === 'editor'
  }

  /** Find out who uses the page. */
  async start(): Promise<void> {
    try {
      this.welcome(await call<User>('GET', '/api/auth/me'))
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) return this.fail(error)
      // If there was no session at all, the server's message is another one.
      this.hasEnded = error.message.startsWith('the session')
      await this.askForSetup()
    }
  }

  private async askForSetup(): Promise<void> {
    try {
      const { required, code_required } = await call<SetupState>('GET', '/api/setup')
      this.needsSetupCode = code_required ?? false
      this.stage = required ? 'setup' : 'signed-out'
    } catch (error) {
      this.fail(error)
    }
  }

  private fail(error: unknown): void {
    this.failure = error instanceof Error ? error.message : String(error)
    this.stage = 'failed'
  }

  private welcome(user: User): void {
    this.user = user
    this.hasEnded = false
    this.stage = 'signed-in'
  }

  private end(): void {
    // Several requests may be refused at the same time; only the first finds the user still signed in.
    this.hasEnded ||= this.user !== null
    this.forget()
  }

  private forget(): void {
    this.user = null
    this.stage = 'signed-out'
  }

  async signIn(username: string, password: string): Promise<void> {
    this.welcome(await this.logIn(username, password))
  }

  private async logIn(username: string, password: string): Promise<User> {
    const { user } = await call<{ user: User }>('POST', '/api/auth/login', { body: { username, password } })
    return user
  }

  /** Create the first account and sign in; the setup pages stay until `enter`. */
  async setUp(username: string, password: string, code: string): Promise<void> {
    await call('POST', '/api/setup', { body: { username, password, ...(code && { code }) } })
    this.user = await this.logIn(username, password)
  }

  enter(): void {
    this.stage = this.user ? 'signed-in' : 'signed-out'
  }

  /** Changing the password ends all sessions, so this signs in again. */
  async changePassword(old: string, wanted: string): Promise<void> {
    const username = this.user?.username ?? ''
    await call('POST', '/api/auth/password', { body: { old, new: wanted } })
    this.welcome(await this.logIn(username, wanted))
  }

  async signOut(): Promise<void> {
    await call('POST', '/api/auth/logout')
    this.forget()
  }
}

export const session = new Session()
