import { expect, test } from 'vitest'
import { landingPath } from './return-to.ts'

test('[A-02] by default admins land in the console, others on their dashboard', () => {
  expect(landingPath('investor')).toBe('/dashboard/home')
  expect(landingPath('admin')).toBe('/admin/home')
})

test('[A-02] login returns to the requested page with its query', () => {
  const place = '/dashboard/withdrawals?withdrawal=0192&x=%C3%A9#row'
  expect(landingPath('investor', place)).toBe(place)
  expect(landingPath('admin', '/admin/investment?id=0192')).toBe('/admin/investment?id=0192')
})

test('[A-02, R-07] investors cannot return to the console', () => {
  expect(landingPath('investor', '/admin/investment?id=0192')).toBe('/dashboard/home')
  expect(landingPath('admin', '/dashboard/home')).toBe('/admin/home')
})

test('[A-02] login never redirects to foreign addresses', () => {
  const others = [
    'https://evil.example/dashboard/home?x=1',
    '//evil.example/dashboard/withdrawals',
    '/\\evil.example/dashboard/withdrawals',
    '\\\\evil.example\\dashboard\\withdrawals',
    '/\t/evil.example/dashboard/withdrawals',
    'javascript:alert(1)//dashboard/',
    'data:text/html,/dashboard/',
    'http://here.invalid:81/dashboard/withdrawals',
    '/dashboard/../login',
    '/dashboard/%2e%2e/api/auth/logout',
    '/dashboard',
    '/dashboardly/home',
    '/',
    '',
    'http://[',
    7,
    null,
    { returnTo: '/dashboard/withdrawals' },
  ]
  for (const place of others) expect(landingPath('investor', place), String(place)).toBe('/dashboard/home')
})
