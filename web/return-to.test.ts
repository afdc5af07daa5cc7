import { expect, test } from 'vitest'
import { landingOf } from './return-to.ts'

test('[A-02] without a place that was wanted, admins come to the console and others to their dashboard', () => {
  expect(landingOf('investor')).toBe('/dashboard/home')
  expect(landingOf('admin')).toBe('/admin/home')
})

test('[A-02] the place that was wanted is come back to, with what its address says', () => {
  const place = '/dashboard/withdrawals?withdrawal=0192&x=%C3%A9#row'
  expect(landingOf('investor', place)).toBe(place)
  expect(landingOf('admin', '/admin/investment?id=0192')).toBe('/admin/investment?id=0192')
})

test('[A-02, R-07] a place of the console is for admins, and the first page of the dashboard is no wish of an admin', () => {
  expect(landingOf('investor', '/admin/investment?id=0192')).toBe('/dashboard/home')
  expect(landingOf('admin', '/dashboard/home')).toBe('/admin/home')
})

test('[A-02] nothing but a place of ours is led to', () => {
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
    { wanted: '/dashboard/withdrawals' },
  ]
  for (const place of others) expect(landingOf('investor', place), String(place)).toBe('/dashboard/home')
})
